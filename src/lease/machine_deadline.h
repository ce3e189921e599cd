#pragma once

#include <string>

#include "core/error.h"
#include "core/seconds.h"
#include "lease/lease_files.h"

namespace lapcast {

// A machine that lapcast rented powers itself off at its deadline: its user data orders that, else
// the first login. A file in the home of the login has the moment, in seconds since the boot, so
// that it can be moved and does not depend on the machine's clock.

/// Returns the lines of a script of sh, run as root, that let the machine power itself off after
/// `$left` seconds. `$home` is the home of the login.
std::string lines_of_machine_deadline();

/// Returns a script of sh for the login that lets a machine power itself off after `left`, unless
/// its user data did so already. Where the login may not do that, the script does nothing, and
/// succeeds.
std::string guard_script(Seconds left);

/// Lets a machine power itself off after `left`, and not before. Waits for ssh, at most 15 s. The
/// reason has what ssh or the machine said; the old deadline may hold then.
Result<void> move_machine_deadline(const LeaseConnection& connection, Seconds left);

}  // namespace lapcast

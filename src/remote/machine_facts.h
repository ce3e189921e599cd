#pragma once

#include <string>

#include "machine/machine_check.h"

namespace lapcast {

/// Describes this machine, with lapcast's own folder on it, which is created with mode 0700 when it
/// is absent. Takes some tens of milliseconds, more where Python starts slowly.
MachineFacts facts_of_this_machine(const std::string& folder);

}  // namespace lapcast

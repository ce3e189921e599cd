#pragma once

#include <string>
#include <vector>

namespace lapcast {

/// The remote shell that rsync is given: `[-l USER] HOST COMMAND ...` as ssh takes them, but what
/// the login prints before the command is kept from rsync, which would take it for its own
/// protocol, and every argument arrives as it is. Returns the exit status, 255 when ssh itself
/// failed.
int relay_ssh(const std::vector<std::string>& words);

}  // namespace lapcast

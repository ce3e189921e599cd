#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "spot/sessions.h"

namespace lapcast {

/// Holds the sessions of heartbeat files.
struct SoakLog {
  SoakRecord record;
  std::size_t damaged_lines = 0;
};

/// Reads heartbeat files. Throws Error (bad input) for a file that cannot be read, and when there
/// is no heartbeat in any.
SoakLog read_heartbeats(const std::vector<std::string>& files);

}  // namespace lapcast

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

/// Reads heartbeat files. Throws Error (bad input) if a file cannot be read, or if none has a
/// heartbeat.
SoakLog read_heartbeats(const std::vector<std::string>& files);

}  // namespace lapcast

#pragma once

#include <chrono>
#include <string>

namespace lapcast {

/// Returns the time as "2026-11-20T12:00:00Z".
std::string utc_text(std::chrono::sys_seconds time);

}  // namespace lapcast

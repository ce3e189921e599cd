#pragma once

#include <cstdint>

#include "core/seconds.h"
#include "run/run.h"

namespace lapcast {

/// How long a run to its end took, process start to end; when it trained more than `epochs`
/// epochs, how long it would have taken had it ended after that many: the time until the next
/// epoch began, and its tear-down. `epochs` 0 = as many as it trained.
Seconds real_time(const Run& run, std::int64_t epochs);

}  // namespace lapcast

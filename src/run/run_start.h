#pragma once

#include <chrono>
#include <optional>

#include "core/seconds.h"
#include "run/run.h"

namespace lapcast {

/// Says when a run began, by two clocks: one that never jumps but differs between machines and
/// restarts when a machine boots, and the time of day in whole seconds.
struct RunStart {
  MonotonicNs ns = 0;
  std::optional<std::chrono::sys_seconds> at;  // nothing if the run does not say
};

RunStart start_of(const Run& run);

/// Returns the seconds from one start to another, negative if the other came first: by the clock
/// that never jumps if both clocks agree to 5 s or one start has no time of day, else by the time
/// of day.
double seconds_between(const RunStart& from, const RunStart& to);

}  // namespace lapcast

#pragma once

#include <chrono>
#include <optional>

#include "core/seconds.h"
#include "run/run.h"

namespace lapcast {

/// Says when a run began, by two clocks: one that never jumps but differs between machines and
/// begins anew when a machine is started, and the time of day in whole seconds.
struct RunStart {
  MonotonicNs ns = 0;
  std::optional<std::chrono::sys_seconds> at;  // nothing where the run does not say
};

RunStart start_of(const Run& run);

/// Returns the seconds from one start to another, negative where the other came first: by the clock
/// that never jumps where both agree to 5 s, or one has no time of day, else by the time of day.
double seconds_between(const RunStart& from, const RunStart& to);

}  // namespace lapcast

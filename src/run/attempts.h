#pragma once

#include <span>
#include <vector>

#include "core/seconds.h"
#include "run/run.h"

namespace lapcast {

/// Describes an attempt that was cut off, after which the run was begun again.
struct CutOffAttempt {
  Seconds time{0};  // that its program ran
  Seconds lost{0};  // of this: work after the checkpoint from which the next attempt resumed
  friend bool operator==(const CutOffAttempt&, const CutOffAttempt&) = default;
};

/// Returns the attempts as steps of a run's preparation: an "earlier attempt" for each, and the
/// "lost work" of all, which is part of their time. Returns none without attempts.
std::vector<PreparationStep> steps_of(std::span<const CutOffAttempt> attempts);

/// Returns the time of all attempts together.
Seconds time_of(std::span<const CutOffAttempt> attempts);

/// Returns how long the programs of all attempts of a run ran: its wall time and that of the
/// earlier attempts that were cut off. This time costs money and energy.
Seconds time_of_attempts(const Run& run);

/// Returns the work of a run that was done twice; 0 for a run that was never cut off.
Seconds lost_work(const Run& run);

/// Returns the time of the attempts without the work that was done twice: how long the training
/// took.
Seconds training_time(const Run& run);

}  // namespace lapcast

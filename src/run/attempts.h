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

/// Returns the step of a session (run/sessions.h) that says how long the earlier sessions of its
/// training trained.
PreparationStep earlier_sessions(Seconds trained);

/// Returns whether a run went on where an earlier session of its training had stopped: its time is
/// not that of a whole training.
bool is_later_session(const Run& run);

/// Returns whether a run ended by itself and is not a later session: its time is that of a
/// training.
bool is_whole_training(const Run& run);

/// Returns the step with work that has to be done twice.
PreparationStep work_lost(Seconds time);

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

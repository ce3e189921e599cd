#pragma once

#include <cstdint>
#include <optional>

#include "core/error.h"
#include "core/seconds.h"
#include "forecast/lap_profile.h"
#include "lap/lap_log.h"
#include "run/command_arguments.h"
#include "run/run.h"

namespace lapcast {

/// Holds what a lap log does not say about its run.
struct RunFacts {
  StartKind start = StartKind::unknown;
  bool ended_by_itself = false;
  Seconds before_log{0};  // from the start of the process to time 0 of the log
  Seconds wall{0};        // from the start to the end of the process; used if ended_by_itself
  /// Gives, for a stopped run, the time from the request to stop to the end of the process: the
  /// part of the tear-down that the system does.
  Seconds stop_to_end{0};
  std::int64_t validation_samples = 0;  // of one validation, given by the user; 0 = not given
  Conditions conditions = Conditions::as_measured;
  std::optional<TrainingPlan> command;  // what the program's arguments ask for
};

/// Returns what is known before a run starts.
RunFacts facts_before_start(const RunContext& context);

/// Returns the profile of a log, or the reason when it has no lap, or tells nothing about the
/// wanted conditions.
Result<LapProfile> profile_of(const LapLog& log, const RunFacts& facts);

/// Returns the profile of a run, or the reason when it failed or has no lap. With first_epochs > 0
/// it is the profile of log_of_first_epochs(), or the reason when there is no such log.
Result<LapProfile> profile_of(const Run& run, std::int64_t first_epochs = 0,
                              Conditions conditions = Conditions::as_measured);
/// Returns the same, and frees the run's lap logs, which may be long, before the profile is built.
Result<LapProfile> profile_without_logs(Run& run, Conditions conditions);

}  // namespace lapcast

#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "rank/race.h"
#include "run/run.h"

namespace lapcast {

/// Holds the runs of one candidate in a race, oldest first.
struct RaceRuns {
  std::vector<const Run*> runs;
  /// Returns the run that the candidate is judged by: one with laps; among those one that the race
  /// did not cut short, then the one with the most laps, then the newest. Null when no run has
  /// laps.
  const Run* best() const;
};

/// Returns the probes among `runs` that are of this candidate.
RaceRuns history_of(const RunContext& candidate, std::span<const Run> runs);

/// Returns what a race calls a candidate. With `same_epochs` all batch sizes are one group.
RaceCandidate race_candidate_of(const RunContext& context, bool same_epochs);

/// Returns what a race calls a candidate that is compared with the one of the settings `baseline`:
/// candidates that change the same settings are a group.
RaceCandidate race_candidate_beside(const RunContext& context,
                                    const std::map<std::string, std::string>& baseline);

/// Returns what a race observes of a run whose candidate was started that many times (at least
/// once); `assessment` is that of the run.
RaceObservation observation_of(const Run& run, const Assessment& assessment, const Race& race,
                               std::size_t attempts, bool measured);

}  // namespace lapcast

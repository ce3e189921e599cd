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
  /// Returns the run by which the candidate is judged, among those with laps: one that the race did
  /// not cut short, then the one with the most laps, then the newest. Null if no run has laps.
  const Run* best() const;
};

/// Returns the probes among `runs` that belong to this candidate.
RaceRuns history_of(const RunContext& candidate, std::span<const Run> runs);

/// Returns the race's description of a candidate. With `same_epochs` all batch sizes are one group.
RaceCandidate race_candidate_of(const RunContext& context, bool same_epochs);

/// Returns the race's description of a candidate that is compared with the settings `baseline`:
/// candidates that change the same settings form a group.
RaceCandidate race_candidate_beside(const RunContext& context,
                                    const std::map<std::string, std::string>& baseline);

/// Returns the race's observation of a run whose candidate was started that many times (at least
/// once); `assessment` is that of the run.
RaceObservation observation_of(const Run& run, const Assessment& assessment, const Race& race,
                               std::size_t attempts, bool measured);

}  // namespace lapcast

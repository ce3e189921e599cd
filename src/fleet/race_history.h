#pragma once

#include <span>
#include <vector>

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

}  // namespace lapcast

#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "run/run.h"

namespace lapcast {

// A race writes the following outcomes into the runs that it ends, so that the store knows all that
// is needed to go on.

/// Returns the outcome of a run whose candidate can no longer be best.
outcome::Enough out_of_race(const std::string& reason);
/// Returns the outcome of a run whose candidate is decided.
outcome::Enough decided_in_race();
/// Returns the outcome of a run that is to begin anew.
outcome::BudgetSpent end_of_round();
/// Returns the outcome of a run whose race has spent its budget.
outcome::BudgetSpent end_of_budget();

/// Returns the reason that out_of_race() put into an outcome, including that of a run that ended
/// without a lap; none for any other outcome.
std::optional<std::string> why_out_of_race(const Outcome& outcome);
/// Returns whether the race, or the user, cut the run short.
bool is_unfinished_in_race(const Outcome& outcome);

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

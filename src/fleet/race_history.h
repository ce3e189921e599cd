#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "run/run.h"

namespace lapcast {

// How a race leaves its mark on the runs that it ends: their outcomes say it, so that the store knows
// all that is needed to go on.

/// Of a racer that can no longer be best; whose place is decided; that is to begin anew; whose race
/// is over.
outcome::Enough out_of_race(const std::string& reason);
outcome::Enough decided_in_race();
outcome::BudgetSpent end_of_round();
outcome::BudgetSpent end_of_budget();

/// The reason of out_of_race(), also of a run that ended without a lap.
std::optional<std::string> why_out_of_race(const Outcome& outcome);
/// Whether the race ended it in the middle of things.
bool is_unfinished_in_race(const Outcome& outcome);

/// The runs of one candidate in a race, oldest first.
struct RaceRuns {
  std::vector<const Run*> runs;
  /// The one that it is judged by: with laps, before others one that the race did not cut short, then
  /// the one with the most laps, then the newest; nullptr = none.
  const Run* best() const;
};
RaceRuns history_of(const RunContext& candidate, std::span<const Run> runs);

}  // namespace lapcast

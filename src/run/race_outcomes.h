#pragma once

#include <optional>
#include <string>

#include "run/run.h"

namespace lapcast {

// A race writes the following outcomes into the runs that it ends, so that the store has all that
// is needed to resume the race.

/// Returns the outcome of a run whose candidate can no longer be best.
outcome::Enough out_of_race(const std::string& reason);
/// Returns the outcome of a run whose candidate is decided.
outcome::Enough decided_in_race();
/// Returns the outcome of a run of which more laps would hardly tell more.
outcome::Enough settled_in_race();
/// Returns the outcome of a run that is to be started again.
outcome::BudgetSpent end_of_round();
/// Returns the outcome of a run whose race has spent its budget.
outcome::BudgetSpent end_of_budget();

/// Returns the reason that out_of_race() put into an outcome, including that of a run that ended
/// without a lap; none for any other outcome.
std::optional<std::string> why_out_of_race(const Outcome& outcome);
/// Returns whether the race, or the user, cut the run short.
bool is_unfinished_in_race(const Outcome& outcome);
/// Returns whether a race, or the end of a round, stopped the run after as few laps as it needed.
bool was_stopped_by_race(const Outcome& outcome);

}  // namespace lapcast

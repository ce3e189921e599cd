#pragma once

#include <optional>

#include "rank/ranking.h"
#include "table/table.h"

namespace lapcast {

/// Returns the number of epochs of a candidate for display: "37", or "37 (31-43)" with the fewest
/// and the most if several trainings were averaged; an empty cell if its plan counts steps.
Cell epochs_cell(const Candidate& candidate);

/// Returns the table of how many epochs the trainings with each combination of settings took until
/// they stopped improving; nullopt if no choice is ranked at the mean of several trainings.
std::optional<Table> learned_epochs_table(const Ranking& ranking);

}  // namespace lapcast

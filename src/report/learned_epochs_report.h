#pragma once

#include <optional>

#include "rank/ranking.h"
#include "table/table.h"

namespace lapcast {

/// Returns the number of epochs of a candidate for people: "37", or "37 (31-43)" with the fewest
/// and the most where several trainings were averaged; an empty cell where its plan counts steps.
Cell epochs_cell(const Candidate& candidate);

/// Returns the table of how many epochs the trainings of each settings took until they stopped
/// improving, or nothing where no choice is ranked at the mean of several trainings.
std::optional<Table> learned_epochs_table(const Ranking& ranking);

}  // namespace lapcast

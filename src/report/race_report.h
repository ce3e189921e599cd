#pragma once

#include <span>
#include <vector>

#include "choose/race_result.h"
#include "report/table.h"

namespace lapcast {

/// Holds what a race and its alternatives cost.
struct RaceBill {
  Expense race;
  Expense plain;       // plain probes of all candidates that were started, by forecast
  Expense everything;  // all of them to their end, by forecast
};

/// Returns every candidate with what is known of it and why it is out; the picks with the chance
/// that they are wrong; what the search cost. `assessments` are those of the rows' runs.
std::vector<Table> race_tables(std::span<const RaceRow> rows,
                               std::span<const Assessment> assessments,
                               std::span<const RacePick> picks, const RaceBill& bill,
                               double confidence);

}  // namespace lapcast

#pragma once

#include <span>
#include <vector>

#include "history/assessment.h"
#include "rank/race_result.h"
#include "run/run.h"
#include "table/table.h"

namespace lapcast {

/// Holds one run of a sweep with its forecast.
struct SweepRow {
  const Run* run = nullptr;  // never nullptr in a row that is shown
  Assessment assessment;
};

/// Returns a table with one row for each run of a sweep, sorted by machine type and settings. A run
/// that failed has its reason as the outcome.
Table sweep_table(std::span<const SweepRow> rows);

/// Holds what a race took and what its alternatives would have taken, by forecast.
struct RaceBill {
  Expense race;
  Expense plain;       // a plain probe of each candidate that was started
  Expense everything;  // each of them run to its end
  Seconds starts{0};   // of the race's own probes, until their first laps
};

/// Returns three tables: the candidates, each with why it is out; the picks, each with the chance
/// that it is wrong; and what the search cost. `assessments` has one element for each row.
/// `confidence` is that of the race, such as 0.95.
std::vector<Table> race_tables(std::span<const RaceRow> rows,
                               std::span<const Assessment> assessments,
                               std::span<const RacePick> picks, const RaceBill& bill,
                               double confidence);

}  // namespace lapcast

#pragma once

#include <span>
#include <string>
#include <vector>

#include "history/assessment.h"
#include "rank/race_result.h"
#include "run/run.h"
#include "table/table.h"

namespace lapcast {

struct SweepRow {
  const Run* run = nullptr;  // never nullptr in a row that is shown
  Assessment assessment;
};

/// Returns a table with one row for each run of a sweep, sorted by machine type and settings. The
/// outcome of a failed run is its reason.
Table sweep_table(std::span<const SweepRow> rows);

/// Returns what to type next after probes: `rank` if one has a forecast, else what says why none
/// has.
std::string next_after_probes(bool any_forecast, const std::string& rank);

/// Holds the expense of a race and the forecast expense of its alternatives.
struct RaceBill {
  Expense race;
  Expense plain;       // a plain probe of each started candidate
  Expense everything;  // each of them run to its end
  Seconds starts{0};   // of the race's own probes, until their first laps
};

/// Returns three tables: the candidates, each with the reason if it is out; the picks, each with
/// its probability of being wrong; and the cost of the search. `assessments` has one element for
/// each row. `confidence` is that of the race, such as 0.95.
std::vector<Table> race_tables(std::span<const RaceRow> rows,
                               std::span<const Assessment> assessments,
                               std::span<const RacePick> picks, const RaceBill& bill,
                               double confidence);

}  // namespace lapcast

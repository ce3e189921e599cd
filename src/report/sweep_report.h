#pragma once

#include <span>
#include <vector>

#include "choose/assessment.h"
#include "choose/race_result.h"
#include "report/table.h"
#include "run/run.h"

namespace lapcast {

/// Holds one run of a sweep with its forecast.
struct SweepRow {
  const Run* run = nullptr;
  Assessment assessment;
};

/// Returns a table with one row for each run of a sweep, sorted by machine type and settings; a run
/// that failed has its reason.
Table sweep_table(std::span<const SweepRow> rows);

/// Holds what a race and its alternatives cost.
struct RaceBill {
  Expense race;
  Expense plain;       // plain probes of all candidates that were started, by forecast
  Expense everything;  // all of them to their end, by forecast
};

/// Returns three tables: every candidate with what is known of it and why it is out, the picks with
/// the chance that they are wrong, and what the search cost. `assessments` has one element for each
/// row.
std::vector<Table> race_tables(std::span<const RaceRow> rows,
                               std::span<const Assessment> assessments,
                               std::span<const RacePick> picks, const RaceBill& bill,
                               double confidence);

}  // namespace lapcast

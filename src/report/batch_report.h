#pragma once

#include <span>

#include "report/sweep_report.h"
#include "table/table.h"

namespace lapcast {

/// Returns the curve of the laps over the batch sizes that a search tried, in order of machine and
/// batch: what a million samples take and cost, what the others ended with, and above it the
/// largest batch of each machine, the fastest and the cheapest batch at equal samples.
Table batch_table(std::span<const SweepRow> rows);

}  // namespace lapcast

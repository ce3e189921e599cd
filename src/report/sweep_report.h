#pragma once

#include <span>

#include "choose/assessment.h"
#include "report/table.h"
#include "run/run.h"

namespace lapcast {

/// Holds one run of a sweep with its forecast.
struct SweepRow {
  const Run* run = nullptr;
  Assessment assessment;
};

/// Returns the runs of a sweep, one a row, failed ones with their reason, sorted by machine type
/// and settings.
Table sweep_table(std::span<const SweepRow> rows);

}  // namespace lapcast

#pragma once

#include <span>

#include "report/table.h"
#include "run/run.h"

namespace lapcast {

/// Returns one row for each run of a sweep, failed ones with their reason, sorted by machine type
/// and settings.
Table sweep_table(std::span<const Run> runs);

}  // namespace lapcast

#pragma once

#include <vector>

#include "store/store.h"
#include "table/table.h"

namespace lapcast {

/// Returns the table of runs, without their secrets.
Table run_list(const std::vector<RunSummary>& runs);

/// Returns the table of the store's sweeps, and of its sets of repeated runs.
Table sweep_list(const Store& store);

}  // namespace lapcast

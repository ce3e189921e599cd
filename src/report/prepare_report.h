#pragma once

#include <string>
#include <vector>

#include "report/table.h"
#include "suite/prepared_set.h"

namespace lapcast {

/// Returns tables of the images that were prepared into a folder, of the time of each stage, of the
/// sizes before and after, and of the images that were skipped.
std::vector<Table> prepare_tables(const PreparedSet& set, const std::string& folder);

}  // namespace lapcast

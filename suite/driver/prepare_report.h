#pragma once

#include <string>
#include <vector>

#include "suite/driver/prepared_set.h"
#include "table/table.h"

namespace lapcast {

/// Returns tables of the images prepared into a folder, of the time of each stage, of the sizes
/// before and after, and of the skipped images.
std::vector<Table> prepare_tables(const PreparedSet& set, const std::string& folder);

}  // namespace lapcast

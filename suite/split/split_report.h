#pragma once

#include <vector>

#include "suite/split/split.h"
#include "table/table.h"

namespace lapcast {

/// Returns the tables of a board that was counted in pieces: its sum, and what counted each piece.
std::vector<Table> split_tables(int n, const SplitResult& result);

}  // namespace lapcast

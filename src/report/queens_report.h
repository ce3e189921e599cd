#pragma once

#include <vector>

#include "report/table.h"
#include "suite/queens.h"

namespace lapcast {

/// Per board and mode: solutions against the known number, nodes per second, and the speed-up over
/// one thread [C eq 1]; for a GPU also that over all cores [methods 4]. Then the averages over the
/// boards that [C] draws in figures 1 and 2.
std::vector<Table> queens_tables(const std::vector<QueensRuns>& runs);

}  // namespace lapcast

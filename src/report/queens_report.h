#pragma once

#include <vector>

#include "report/table.h"
#include "suite/queens.h"

namespace lapcast {

/// Returns, for each board and mode, the solutions compared with the known number, nodes per
/// second, and the speed-up over one thread (Carneiro 2018, equation 1); for a GPU also that over
/// all cores. Then the averages over the boards, as in figures 1 and 2 of that paper.
std::vector<Table> queens_tables(const std::vector<QueensRuns>& runs);

}  // namespace lapcast

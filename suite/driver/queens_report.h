#pragma once

#include <string>
#include <vector>

#include "suite/driver/queens.h"
#include "table/table.h"

namespace lapcast {

/// Names the machines of a fleet that are the baselines of N-Queens speed-ups.
struct QueensBaselines {
  std::string serial;  // its single thread is T_serial of equation 1; empty = each machine's own
  std::string server;  // its cores are the baseline of GPUs (equation 3); empty = none
};

/// Returns two tables. The first has, for each board, machine and mode, the solutions and whether
/// they are correct, the nodes per second, the speed-up over one thread (Carneiro 2018, equation 1)
/// and, for a GPU, the speed-ups over all cores of its machine (2) and of the server (3). The
/// second has the averages over the boards, as in figures 1 and 2 of that paper.
std::vector<Table> queens_tables(const std::vector<QueensRuns>& runs,
                                 const QueensBaselines& baselines = {});

}  // namespace lapcast

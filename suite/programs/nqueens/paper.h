#pragma once

#include <vector>

#include "nqueens/depth_first.h"
#include "nqueens/work.h"

namespace lapcast::workloads::nqueens {

/// Runs the search of Carneiro et al., "Performance Analysis of Google Colaboratory as a Tool for
/// Accelerating Deep Learning Applications", IEEE Access 6, 2018, section III: backtracking row by
/// row with its state in bit masks (Richards, "Backtracking algorithms in MCPL using bit patterns
/// and recursion", 1997). A solution reflected left-right is a solution. So the first queen stays
/// in the left half and each solution counts twice; where n is odd and the first queen is in the
/// middle, the second one stays in the left half. A node is a queen on a square that no other queen
/// attacks.

/// Holds the first levels of the tree, as the paper cuts it for parallel search.
struct PaperRoots {
  int row = 0;              ///< the queens above this row are placed
  std::vector<Node> nodes;  ///< in the order of the tree
  Tally above;              ///< the counted nodes above the row; for n = 1 the solution too
};
PaperRoots paper_roots(int n);

/// Returns the search for 1 <= n <= kLargestBoard.
Work paper_work(int n);

/// Returns the whole board for searches that take an InnerBoard; each solution counts twice.
InnerBoard paper_board(int n);

}  // namespace lapcast::workloads::nqueens

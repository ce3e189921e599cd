#pragma once

#include <cstdint>

#include "nqueens/tally.h"

namespace lapcast::workloads::nqueens {

/// Describes a row of the inside of a board, whose border is occupied.
struct InnerRow {
  uint32_t free;  ///< bit x: no border queen attacks inner column x along a diagonal
  uint32_t step;  ///< rows down to the next one without a queen; 0 for the last row
};

/// Describes what is left to search when the four border rows and columns have their queens: the
/// rows without a queen, as plain numbers, so that every search (vector, portable, GPU) reads the
/// same.
struct InnerBoard {
  int row_count = 0;
  InnerRow rows[kLargestBoard] = {};
  uint32_t taken_columns = 0;  ///< inner columns with a border queen
  uint32_t weight = 1;         ///< solutions of the whole board for each one of the inside
};

/// Searches an inner board of at least two rows. The solutions are not weighted.
using SearchInner = Tally (*)(const InnerBoard& board);

}  // namespace lapcast::workloads::nqueens

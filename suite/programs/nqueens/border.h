#pragma once

#include <vector>

#include "nqueens/inner_board.h"

namespace lapcast::workloads::nqueens {

/// Holds the queens of the first and last row and column. Every solution has exactly one such
/// border (a queen in a corner belongs to two sides), and the eight symmetries of the square
/// (rotations and reflections) map solutions with one border to solutions with the mapped border.
/// So only one border of each class of up to eight equivalent ones is searched, and its solutions
/// count once for each member of the class.
struct Border {
  int left;    ///< the row of the queen in the first column
  int right;   ///< the row of the queen in the last column
  int top;     ///< the column of the queen in the first row
  int bottom;  ///< the column of the queen in the last row

  auto operator<=>(const Border&) const = default;
};

/// Describes one class of borders.
struct BorderClass {
  Border border;  ///< its smallest member
  int size;       ///< number of members: 8, 4 when a symmetry keeps the border, or 2
};

/// Returns every class of borders whose queens do not attack each other; n >= 4.
std::vector<BorderClass> border_classes(int n);

/// Returns the inside of the n x n board with this border.
InnerBoard inner_board(int n, const BorderClass& border);

}  // namespace lapcast::workloads::nqueens

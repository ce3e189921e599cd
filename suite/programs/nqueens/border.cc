#include "nqueens/border.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace lapcast::workloads::nqueens {
namespace {

struct Square {
  int row, column;
  bool operator==(const Square&) const = default;
};

std::array<Square, 4> squares(int n, const Border& b) {
  return {{{0, b.top}, {n - 1, b.bottom}, {b.left, 0}, {b.right, n - 1}}};
}

bool attack(const Square& a, const Square& b) {
  const int rows = std::abs(a.row - b.row), columns = std::abs(a.column - b.column);
  return rows == 0 || columns == 0 || rows == columns;
}

/// Returns whether a border is possible: sides that share a corner name the same queen, and queens
/// on different squares do not attack each other.
bool possible(int n, const Border& border) {
  const auto queens = squares(n, border);
  for (size_t i = 0; i < queens.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (!(queens[i] == queens[j]) && attack(queens[i], queens[j])) return false;
    }
  }
  return true;
}

Border upside_down(int n, const Border& b) {
  return {n - 1 - b.left, n - 1 - b.right, b.bottom, b.top};
}

/// Reflects at the main diagonal: rows become columns.
Border transposed(const Border& b) {
  return {b.top, b.bottom, b.left, b.right};
}

/// Returns the eight images of a border. Alternating reflections, up-down and at the diagonal,
/// produce all.
std::array<Border, 8> images(int n, Border border) {
  std::array<Border, 8> all;
  for (size_t i = 0; i < all.size(); ++i) {
    all[i] = border;
    border = i % 2 == 0 ? upside_down(n, border) : transposed(border);
  }
  return all;
}

/// Returns the bit of a column of the board; the first and the last column have none.
uint32_t inner_bit(int n, int column) {
  return column > 0 && column < n - 1 ? uint32_t{1} << (column - 1) : 0;
}

uint32_t free_squares(int n, const Border& border, int row) {
  uint32_t attacked = 0;
  for (const Square& queen : squares(n, border)) {
    const int distance = std::abs(queen.row - row);
    attacked |= inner_bit(n, queen.column - distance) | inner_bit(n, queen.column + distance);
  }
  return ~attacked & ((uint32_t{1} << (n - 2)) - 1);
}

/// Calls visit(border) for all four-tuples in ascending order.
template <typename Visit>
void each_border(int n, Visit visit) {
  Border b{};
  for (b.left = 0; b.left < n; ++b.left) {
    for (b.right = 0; b.right < n; ++b.right) {
      for (b.top = 0; b.top < n; ++b.top) {
        for (b.bottom = 0; b.bottom < n; ++b.bottom) visit(b);
      }
    }
  }
}

}  // namespace

std::vector<BorderClass> border_classes(int n) {
  std::vector<BorderClass> classes;
  each_border(n, [&](const Border& border) {
    if (!possible(n, border)) return;
    const auto all = images(n, border);
    if (border != *std::min_element(all.begin(), all.end())) return;
    // Each member of a class occurs among the eight images as often as the first one.
    const auto same = std::count(all.begin(), all.end(), border);
    classes.push_back({border, static_cast<int>(8 / same)});
  });
  return classes;
}

InnerBoard inner_board(int n, const BorderClass& given) {
  const Border& border = given.border;
  InnerBoard board;
  board.weight = static_cast<uint32_t>(given.size);
  board.taken_columns = inner_bit(n, border.top) | inner_bit(n, border.bottom);
  int last = 0;
  for (int row = 1; row < n - 1; ++row) {
    if (row == border.left || row == border.right) continue;
    if (board.row_count > 0) {
      board.rows[board.row_count - 1].step = static_cast<uint32_t>(row - last);
    }
    board.rows[board.row_count++] = {free_squares(n, border, row), 0};
    last = row;
  }
  return board;
}

}  // namespace lapcast::workloads::nqueens

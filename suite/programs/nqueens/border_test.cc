#include "nqueens/border.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <vector>

#include "nqueens/fast.h"

namespace lapcast::workloads::nqueens {
namespace {

int size_of(int n, const Border& border) {
  for (const BorderClass& one : border_classes(n)) {
    if (one.border == border) return one.size;
  }
  return 0;
}

// Solutions are written as the columns of the rows. Each class is named by its smallest member.

TEST(BorderClasses, ASolutionThatAQuarterTurnLeavesHasTwo) {
  // 1 3 0 2: a quarter turn does not change it; the other member is its mirror image 2 0 3 1.
  EXPECT_EQ(size_of(4, {.left = 1, .right = 2, .top = 2, .bottom = 1}), 2);
  EXPECT_EQ(size_of(4, {.left = 2, .right = 1, .top = 1, .bottom = 2}), 0);
}

TEST(BorderClasses, ASolutionThatAHalfTurnLeavesHasFour) {
  // 3 0 4 1 5 2: a half turn does not change it. Mirrored it is 2 5 1 4 0 3, transposed 1 3 5 0 2
  // 4, and both 4 2 0 5 3 1.
  EXPECT_EQ(size_of(6, {.left = 1, .right = 4, .top = 3, .bottom = 2}), 4);
}

TEST(BorderClasses, ASolutionWithoutSymmetryHasEight) {
  // 0 2 4 1 3: the queen in the corner belongs to two sides.
  EXPECT_EQ(size_of(5, {.left = 0, .right = 2, .top = 0, .bottom = 3}), 8);
}

TEST(BorderClasses, QueensThatAttackEachOtherAreNoBorder) {
  for (const BorderClass& one : border_classes(6)) {
    const Border& b = one.border;
    EXPECT_NE(b.top, b.bottom);
    EXPECT_NE(b.left, b.right);
    EXPECT_EQ(b.top == 0, b.left == 0);          // one queen in the corner, or none
    EXPECT_TRUE(b.top == 0 || b.top != b.left);  // on one diagonal
  }
}

TEST(InnerBoard, KeepsWhatTheBorderLeaves) {
  // n = 6, queens at (0, 3), (5, 2), (1, 0), (4, 5). Rows 2 and 3 and columns 1 to 4 are left.
  const InnerBoard board = inner_board(6, {{.left = 1, .right = 4, .top = 3, .bottom = 2}, 4});
  EXPECT_EQ(board.row_count, 2);
  EXPECT_EQ(board.weight, 4u);
  EXPECT_EQ(board.taken_columns, 0b0110u);  // columns 2 and 3
  // Row 2: (0, 3) attacks columns 1 and 5, (5, 2) -1 and 5, (1, 0) 1, (4, 5) 3.
  EXPECT_EQ(board.rows[0].free, 0b1010u);
  EXPECT_EQ(board.rows[0].step, 1u);
  // Row 3: (0, 3) attacks 0 and 6, (5, 2) 0 and 4, (1, 0) 2, (4, 5) 4.
  EXPECT_EQ(board.rows[1].free, 0b0101u);
  // Column 4 in row 2 and column 1 in row 3 give one solution, 3 0 4 1 5 2.
  for (const Isa isa : isas_here()) {
    EXPECT_EQ(search_board(board, search_for(isa, 6)).solutions, 4u) << name_of(isa);
  }
}

TEST(InnerBoard, StepsOverRowsThatHaveTheirQueen) {
  // n = 8. Rows 3 and 4 have border queens, so row 5 follows row 2.
  const InnerBoard board = inner_board(8, {{.left = 3, .right = 4, .top = 1, .bottom = 6}, 4});
  EXPECT_EQ(board.row_count, 4);
  EXPECT_EQ(board.rows[0].step, 1u);
  EXPECT_EQ(board.rows[1].step, 3u);
  EXPECT_EQ(board.rows[2].step, 1u);
  EXPECT_EQ(board.rows[3].step, 0u);
}

/// Calls visit(columns) for every solution, found in the simplest way.
template <typename Visit>
void each_solution(int n, std::vector<int>& columns, Visit visit) {
  const int row = static_cast<int>(columns.size());
  if (row == n) return visit(columns);
  for (int column = 0; column < n; ++column) {
    bool attacked = false;
    for (int above = 0; above < row; ++above) {
      const int distance = std::abs(columns[above] - column);
      attacked |= distance == 0 || distance == row - above;
    }
    if (attacked) continue;
    columns.push_back(column);
    each_solution(n, columns, visit);
    columns.pop_back();
  }
}

std::vector<int> turned(const std::vector<int>& columns) {
  std::vector<int> result(columns.size());
  for (size_t row = 0; row < columns.size(); ++row) {
    result[columns.size() - 1 - static_cast<size_t>(columns[row])] = static_cast<int>(row);
  }
  return result;
}

Border border_of(const std::vector<int>& columns) {
  const auto row_of = [&](size_t column) {
    return static_cast<int>(std::find(columns.begin(), columns.end(), column) - columns.begin());
  };
  return {row_of(0), row_of(columns.size() - 1), columns.front(), columns.back()};
}

Border smallest_image(std::vector<int> columns) {
  std::set<Border> borders;
  for (int i = 0; i < 8; ++i) {
    borders.insert(border_of(columns));
    columns = turned(columns);
    if (i == 3) std::reverse(columns.begin(), columns.end());
  }
  return *borders.begin();
}

/// Checks each class: its solutions times its size are the solutions with a border of the class.
TEST(BorderClasses, HoldEverySolutionOnce) {
  for (int n = 4; n <= 9; ++n) {
    std::map<Border, uint64_t> expected;
    std::vector<int> columns;
    each_solution(n, columns,
                  [&](const std::vector<int>& solution) { ++expected[smallest_image(solution)]; });
    std::map<Border, uint64_t> found;
    for (const BorderClass& one : border_classes(n)) {
      const Tally tally = search_board(inner_board(n, one), search_for(Isa::kPlain, n));
      if (tally.solutions > 0) found[one.border] = tally.solutions;
    }
    EXPECT_EQ(found, expected) << "n = " << n;
  }
}

}  // namespace
}  // namespace lapcast::workloads::nqueens

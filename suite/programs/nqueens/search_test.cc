#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "nqueens/fast.h"
#include "nqueens/known_counts.h"
#include "nqueens/paper.h"
#include "nqueens/work.h"

namespace lapcast::workloads::nqueens {
namespace {

Tally search(const Work& work, int threads = 1) {
  return search_on_threads(work, threads, Laps(work.items, 7), [](int64_t) {});
}

/// Counts the nodes of the paper's tree without bit masks.
uint64_t count_nodes(int n, std::vector<int>& columns) {
  const int row = static_cast<int>(columns.size());
  if (row == n) return 0;
  int end = n;
  if (row == 0) end = (n + 1) / 2;
  if (row == 1 && n % 2 == 1 && columns[0] == n / 2) end = n / 2;
  uint64_t nodes = 0;
  for (int column = 0; column < end; ++column) {
    bool attacked = false;
    for (int above = 0; above < row; ++above) {
      const int distance = std::abs(columns[above] - column);
      attacked |= distance == 0 || distance == row - above;
    }
    if (attacked) continue;
    columns.push_back(column);
    nodes += 1 + count_nodes(n, columns);
    columns.pop_back();
  }
  return nodes;
}

TEST(PaperSearch, FindsAllSolutions) {
  for (int n = 1; n <= 13; ++n) {
    EXPECT_EQ(search(paper_work(n)).solutions, kSolutions[static_cast<size_t>(n)]) << "n = " << n;
  }
}

TEST(PaperSearch, NodesByHand) {
  EXPECT_EQ(search(paper_work(1)).nodes, 1u);
  EXPECT_EQ(search(paper_work(2)).nodes, 1u);  // column 0; all of row 1 is attacked
  // The columns are 0; 0 2; then the last row is attacked. The middle column attacks all of row 1.
  EXPECT_EQ(search(paper_work(3)).nodes, 3u);
  // The columns are 0; 0 2; 0 3; 0 3 1; and 1; 1 3; 1 3 0; 1 3 0 2.
  EXPECT_EQ(search(paper_work(4)).nodes, 8u);
}

TEST(PaperSearch, CountsTheNodesOfHalfTheTree) {
  for (int n = 1; n <= 10; ++n) {
    std::vector<int> columns;
    EXPECT_EQ(search(paper_work(n)).nodes, count_nodes(n, columns)) << "n = " << n;
  }
}

class FastSearch : public testing::TestWithParam<Isa> {};

TEST_P(FastSearch, FindsAllSolutions) {
  const int largest = GetParam() == Isa::kPlain ? 14 : 16;
  for (int n = 1; n <= largest; ++n) {
    EXPECT_EQ(search(fast_work(n, GetParam())).solutions, kSolutions[static_cast<size_t>(n)])
        << "n = " << n;
  }
}

TEST_P(FastSearch, SearchesTheTreeOfThePlainOne) {
  for (int n = 4; n <= 13; ++n) {
    EXPECT_EQ(search(fast_work(n, GetParam())).nodes, search(fast_work(n, Isa::kPlain)).nodes)
        << "n = " << n;
  }
}

/// Tests the wider lanes of boards above 18 rows. A whole board takes minutes; one border with four
/// squares left in each of its first rows does not.
TEST_P(FastSearch, AgreesOnPartsOfTheLargestBoards) {
  for (const int n : {17, 18, 19, 20}) {
    const std::vector<InnerBoard> boards = inner_boards(n);
    InnerBoard board = boards[boards.size() / 3];
    for (int row = 0; row < 4; ++row) board.rows[row].free &= 0b1111u << 4 * row;
    const Tally plain = search_board(board, search_for(Isa::kPlain, n));
    const Tally fast = search_board(board, search_for(GetParam(), n));
    EXPECT_GT(plain.solutions, 0u) << "n = " << n;
    EXPECT_EQ(fast.solutions, plain.solutions) << "n = " << n;
    EXPECT_EQ(fast.nodes, plain.nodes) << "n = " << n;
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, FastSearch, testing::ValuesIn(isas_here()),
                         [](const testing::TestParamInfo<Isa>& isa) {
                           std::string name(name_of(isa.param));
                           std::erase(name, '-');
                           return name;
                         });

TEST(Threads, DoNotChangeWhatIsFound) {
  for (const int threads : {1, 2, 5}) {
    const Tally fast = search(fast_work(12, isas_here().back()), threads);
    const Tally paper = search(paper_work(11), threads);
    EXPECT_EQ(fast.solutions, kSolutions[12]);
    EXPECT_EQ(paper.solutions, kSolutions[11]);
    std::vector<int> columns;
    EXPECT_EQ(paper.nodes, count_nodes(11, columns));
  }
}

}  // namespace
}  // namespace lapcast::workloads::nqueens

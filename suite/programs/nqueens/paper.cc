#include "nqueens/paper.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace lapcast::workloads::nqueens {
namespace {

constexpr uint32_t full_row(int n) {
  return (uint32_t{1} << n) - 1;
}

/// Returns the row of the roots: enough parts for many threads, each large enough to take some
/// time.
int root_row(int n) {
  return std::clamp(n - 2, std::min(n, 2), 4);
}

/// Returns the squares of a row that the search may use.
uint32_t half_board(int n, int row, const Node& node) {
  const uint32_t left_half = full_row(n / 2);
  const uint32_t middle = n % 2 == 1 ? uint32_t{1} << (n / 2) : 0;
  if (row == 0) return left_half | middle;
  if (row == 1 && node.columns == middle) return left_half;
  return full_row(n);
}

std::vector<Node> next_level(int n, int row, const std::vector<Node>& level) {
  std::vector<Node> children;
  for (const Node& node : level) {
    uint32_t free = node.free_in({half_board(n, row, node), 1});
    for (; free != 0; free &= free - 1) {
      children.push_back(node.with_queen(free & (0 - free), 1));
    }
  }
  return children;
}

/// Backtracks below a node. A node whose last child is being searched is not kept.
Tally backtrack(uint32_t full, Node node) {
  Tally tally;
  Node frames[kLargestBoard];
  Node* top = frames;
  node.untried = node.free_in({full, 1});
  for (;;) {
    if (node.untried == 0) {
      if (top == frames) return tally;
      node = *--top;
    }
    const uint32_t queen = node.untried & (0 - node.untried);
    node.untried ^= queen;
    ++tally.nodes;
    Node child = node.with_queen(queen, 1);
    child.untried = child.free_in({full, 1});
    if (child.untried != 0) {
      *top = node;
      top += node.untried != 0;
      node = child;
    } else {
      tally.solutions += child.columns == full;
    }
  }
}

}  // namespace

PaperRoots paper_roots(int n) {
  PaperRoots roots;
  if (n == 1) {
    roots.above = {1, 1};  // The one square is its own mirror image.
    return roots;
  }
  roots.nodes = {Node{}};
  for (; roots.row < root_row(n); ++roots.row) {
    roots.nodes = next_level(n, roots.row, roots.nodes);
    roots.above.nodes += roots.nodes.size();
  }
  return roots;
}

Work paper_work(int n) {
  auto roots = std::make_shared<const PaperRoots>(paper_roots(n));
  Work work;
  work.items = static_cast<int64_t>(roots->nodes.size());
  work.before = roots->above;
  work.search = [full = full_row(n), roots = std::move(roots)](int64_t item) {
    Tally tally = backtrack(full, roots->nodes[static_cast<size_t>(item)]);
    tally.solutions *= 2;
    return tally;
  };
  return work;
}

InnerBoard paper_board(int n) {
  InnerBoard board;
  board.row_count = n;
  board.weight = 2;
  for (int row = 0; row < n; ++row) board.rows[row] = {full_row(n), 1};
  return board;
}

}  // namespace lapcast::workloads::nqueens

#include "nqueens/device_work.h"

#include <algorithm>

#include "nqueens/fast.h"
#include "nqueens/paper.h"

namespace lapcast::workloads::nqueens {
namespace {

/// Returns how many rows of a board the CPU searches. With too few, the last jobs keep a whole
/// device waiting; with too many, the CPU takes longer than the device. Three rows make 500 jobs of
/// a board and four make 3,000.
int rows_on_cpu(int n) {
  return n < 12 ? 1 : n < 18 ? 3 : 4;
}

/// Returns the nodes of the next row with which the search continues.
template <bool kLookAhead>
void add_children(const InnerBoard& board, const Job& job, std::vector<Job>& children,
                  Tally& above) {
  const InnerRow* row = board.rows + job.row;
  const Node node{job.columns, job.left, job.right};
  for (uint32_t free = node.free_in(row[0]); free != 0; free &= free - 1) {
    ++above.nodes;
    const Node child = node.with_queen(free & (0 - free), row[0].step);
    if (child.free_in(row[1]) == 0) continue;
    if (kLookAhead && child.with_queen(0, row[1].step).free_in(row[2]) == 0) continue;
    children.push_back({child.columns, child.left, child.right, job.board, job.row + 1u});
  }
}

void set_first_row(DeviceWork& work, int first_row, int row_count) {
  work.first_row = first_row;
  work.frames = work.look_ahead ? DepthFirst<true>::frames_needed(row_count, first_row)
                                : DepthFirst<false>::frames_needed(row_count, first_row);
}

}  // namespace

DeviceWork fast_device_work(int n) {
  if (n < 6) return paper_device_work(n);  // some borders leave less than two rows
  DeviceWork work;
  work.look_ahead = true;
  work.boards = inner_boards(n);
  const SpreadOrder order(static_cast<int64_t>(work.boards.size()));
  for (size_t place = 0; place < work.boards.size(); ++place) {
    const auto item = static_cast<uint32_t>(order.item(static_cast<int64_t>(place)));
    work.roots.push_back({work.boards[item].taken_columns, 0, 0, item, 0});
  }
  // A border with a queen in a corner leaves n - 3 rows, one without n - 4. The last two rows are
  // searched together.
  set_first_row(work, std::clamp(rows_on_cpu(n), 0, n - 6), n - 3);
  return work;
}

DeviceWork paper_device_work(int n) {
  const PaperRoots roots = paper_roots(n);
  DeviceWork work;
  work.boards = {paper_board(n)};
  work.before = roots.above;
  const SpreadOrder order(static_cast<int64_t>(roots.nodes.size()));
  for (size_t place = 0; place < roots.nodes.size(); ++place) {
    const Node& node = roots.nodes[static_cast<size_t>(order.item(static_cast<int64_t>(place)))];
    work.roots.push_back(
        {node.columns, node.left, node.right, 0, static_cast<uint32_t>(roots.row)});
  }
  const int deepest = std::max(n - 2, roots.row);
  set_first_row(work, std::clamp(roots.row + rows_on_cpu(n) - 2, roots.row, deepest), n);
  return work;
}

DeviceWork piece_of(DeviceWork work, const Piece& piece) {
  const auto roots = static_cast<int64_t>(work.roots.size());  // in the order of SpreadOrder
  work.roots.erase(work.roots.begin() + piece.end(roots), work.roots.end());
  work.roots.erase(work.roots.begin(), work.roots.begin() + piece.first(roots));
  if (piece.number > 1) work.before = {};
  return work;
}

std::vector<Job> jobs_of(const DeviceWork& work, int64_t first, int64_t end, Tally& above) {
  std::vector<Job> jobs(work.roots.begin() + first, work.roots.begin() + end);
  while (!jobs.empty() && static_cast<int>(jobs.front().row) < work.first_row) {
    std::vector<Job> children;
    for (const Job& job : jobs) {
      const InnerBoard& board = work.boards[job.board];
      if (work.look_ahead) {
        add_children<true>(board, job, children, above);
      } else {
        add_children<false>(board, job, children, above);
      }
    }
    jobs = std::move(children);
  }
  return jobs;
}

}  // namespace lapcast::workloads::nqueens

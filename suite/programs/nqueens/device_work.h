#pragma once

#include <vector>

#include "nqueens/depth_first.h"
#include "nqueens/inner_board.h"
#include "nqueens/work.h"

namespace lapcast::workloads::nqueens {

/// Splits a search for a GPU. The CPU places the queens of the first rows. Each node that it
/// reaches is a job: a tree that one thread of the device searches. Everything but the launch is
/// plain C++, so the same jobs can be searched and counted without a GPU.

/// Describes a tree: a node in row `row` of a board.
struct Job {
  uint32_t columns, left, right;
  uint32_t board : 24;
  uint32_t row : 8;
};

struct DeviceWork {
  bool look_ahead = false;  ///< the fast search; otherwise the paper's
  std::vector<InnerBoard> boards;
  std::vector<Job> roots;  ///< equal shares take similar time
  int first_row = 0;       ///< row of every job of jobs_of()
  int frames = 0;          ///< nodes for which a thread needs memory
  Tally before;            ///< what the CPU found above the roots
};

DeviceWork fast_device_work(int n);
DeviceWork paper_device_work(int n);

/// Returns the search of one piece, as piece_of() of a Work does.
DeviceWork piece_of(DeviceWork work, const Piece& piece);

/// Returns the jobs below the roots [first, end): the CPU searches their rows down to first_row and
/// adds what it finds to `above`.
std::vector<Job> jobs_of(const DeviceWork& work, int64_t first, int64_t end, Tally& above);

/// Runs one thread of the device: jobs one after the other until next() is no longer below `count`.
/// `frames` are as in DepthFirst.
template <bool kLookAhead, typename Next>
NQUEENS_HOST_DEVICE Tally search_jobs(const InnerBoard* boards, const Job* jobs, uint32_t count,
                                      Next next, Node* frames, int stride) {
  Tally tally;
  uint32_t weight = 0;
  DepthFirst<kLookAhead> search(frames, stride);
  for (;;) {
    // This is an `if` and not a loop, so that threads that wait for a job stay together with those
    // that search.
    if (search.done()) {
      const uint32_t taken = next();
      if (taken >= count) return tally;
      const Job job = jobs[taken];
      const InnerBoard& board = boards[job.board];
      weight = board.weight;
      search.begin(board, static_cast<int>(job.row), Node{job.columns, job.left, job.right});
    } else {
      tally.solutions += search.step() ? weight : 0;
      ++tally.nodes;
    }
  }
}

}  // namespace lapcast::workloads::nqueens

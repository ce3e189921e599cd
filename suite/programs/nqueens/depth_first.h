#pragma once

#include "nqueens/inner_board.h"

#ifdef __CUDACC__
#define NQUEENS_HOST_DEVICE __host__ __device__
#else
#define NQUEENS_HOST_DEVICE
#endif

namespace lapcast::workloads::nqueens {

/// Holds a node of the search: the columns of the queens above a row and the squares of the row
/// that are left to try. `left` and `right` are the squares of the row that queens above attack
/// along diagonals.
struct alignas(16) Node {
  uint32_t columns = 0, left = 0, right = 0;
  uint32_t untried = 0;

  NQUEENS_HOST_DEVICE Node with_queen(uint32_t queen, uint32_t step) const {
    return {columns | queen, (left | queen) << step, (right | queen) >> step, 0};
  }
  NQUEENS_HOST_DEVICE uint32_t free_in(const InnerRow& row) const {
    return row.free & ~(columns | left | right);
  }
};

/// Searches one tree after the other, depth first and a queen at a time, on CPUs without vectors
/// and on each thread of a GPU. Every step is the same short sequence of instructions for every
/// tree, so that the threads of a warp stay together.
///
/// With kLookAhead, a child is entered only when the row after its own has a free square as well,
/// and the queens of the last row are counted without being placed, which needs boards of two rows
/// or more. Without it this is the paper's search, in which each queen on a free square is a node.
template <bool kLookAhead>
class DepthFirst {
 public:
  /// The frames are `stride` apart, so that threads of a GPU share one array without bank
  /// conflicts. The array holds frames_needed() frames per thread.
  NQUEENS_HOST_DEVICE DepthFirst(Node* frames, int stride) : frames_(frames), stride_(stride) {}

  /// Returns the number of frames for trees whose roots are in first_row.
  NQUEENS_HOST_DEVICE static int frames_needed(int row_count, int first_row) {
    const int rows = row_count - first_row - (kLookAhead ? 2 : 1);
    return rows > 0 ? rows : 0;
  }

  /// Starts a tree at a node in first_row whose untried squares are not known yet. The board must
  /// exist until the tree has been searched.
  NQUEENS_HOST_DEVICE void begin(const InnerBoard& board, int first_row, const Node& root) {
    rows_ = board.rows + first_row;
    last_ = board.row_count - first_row - (kLookAhead ? 2 : 1);
    depth_ = 0;
    node_ = root;
    node_.untried = root.free_in(rows_[0]);
  }

  NQUEENS_HOST_DEVICE bool done() const { return node_.untried == 0 && waiting_ == 0; }

  /// Places the next queen. Returns true when it completes a solution. Must not be called when
  /// done().
  NQUEENS_HOST_DEVICE bool step() {
    if (node_.untried == 0) resume();
    const uint32_t queen = node_.untried & (0 - node_.untried);
    node_.untried ^= queen;
    const InnerRow* row = rows_ + depth_;
    Node child = node_.with_queen(queen, row[0].step);
    if (!kLookAhead && depth_ == last_) return true;
    child.untried = child.free_in(row[1]);
    if (kLookAhead && depth_ == last_) return child.untried != 0;
    if (can_live(child, row)) enter(child);
    return false;
  }

 private:
  NQUEENS_HOST_DEVICE bool can_live(const Node& child, const InnerRow* row) const {
    if (!kLookAhead || child.untried == 0) return child.untried != 0;
    return child.with_queen(0, row[1].step).free_in(row[2]) != 0;
  }

  /// Enters a child. A node with nothing left to try does not wait for its child.
  NQUEENS_HOST_DEVICE void enter(const Node& child) {
    if (node_.untried != 0) {
      frames_[depth_ * stride_] = node_;
      waiting_ |= uint32_t{1} << depth_;
    }
    node_ = child;
    ++depth_;
  }

  /// Returns to the deepest node that waits.
  NQUEENS_HOST_DEVICE void resume() {
#ifdef __CUDA_ARCH__
    depth_ = 31 - __clz(static_cast<int>(waiting_));
#else
    depth_ = 31 - __builtin_clz(waiting_);
#endif
    waiting_ ^= uint32_t{1} << depth_;
    node_ = frames_[depth_ * stride_];
  }

  Node* frames_;
  int stride_;
  const InnerRow* rows_ = nullptr;
  int last_ = 0;          // the depth whose queens enter no child
  int depth_ = 0;         // rows below the root's
  uint32_t waiting_ = 0;  // bit d is set when a node waits at depth d
  Node node_;
};

}  // namespace lapcast::workloads::nqueens

#pragma once

#include "nqueens/inner_board.h"

namespace lapcast::workloads::nqueens {

/// Searches an inner board and keeps the lanes of vector registers full.
///
/// Plain backtracking holds one node at a time; lanes that each did so would soon wait for the
/// slowest. Here each row has a pool of waiting nodes with all rows above occupied. A step takes as
/// many nodes of one pool as there are lanes, gives each its next queen, and packs the children
/// that can live into the pool of the next row; nodes with squares left to try are packed back. A
/// full pool is emptied before its parents continue, so memory is bounded. The remaining nodes are
/// finished from the first row down. No branch depends on a node.
///
/// A child can live when the next row and the row after that have a free square for it. The second
/// check costs less than the children that it avoids.
///
/// This file must not use headers that other files compile too: the linker could keep the version
/// with this file's instructions for all of them. The Lanes of a file are therefore in its unnamed
/// namespace, and only plain structures are included.
///
/// Lanes has:
///   Word, kLanes       an unsigned number as wide as the inner columns, and how many of them
///   Words, Mask, Shift a register of words, one bit for each lane, a number of places
///   load(from), all(word), shift(places), first(count)   the first `count` lanes, at most all
///   lowest(a)          the lowest bit of each word
///   both(a, b), without(a, b), either(a, b)              a & b, a & ~b, a | b
///   free(f, a, b, c)   f & ~(a | b | c)
///   left(a, s), right(a, s)
///   some(mask, a)      the lanes of mask whose word is not 0
///   count(mask)
///   pack(to, mask, a)  writes the words of mask's lanes side by side; may write kLanes words
template <typename Lanes>
class LevelSearch {
  using Word = typename Lanes::Word;
  using Words = typename Lanes::Words;
  using Mask = typename Lanes::Mask;
  using Shift = typename Lanes::Shift;

 public:
  explicit LevelSearch(const InnerBoard& board) : board_(board) {
    for (Pool& pool : pools_) pool.size = 0;
  }

  Tally run() {
    if (!place_root()) return {};
    for (int row = 0; row + 1 < board_.row_count; ++row) {
      if (pools_[row].size > 0) work_off(row);
    }
    return tally_;
  }

 private:
  // a larger pool keeps lanes fuller, a smaller one stays in the first cache
  static constexpr int kFull = 512;
  static constexpr int kRoom = kFull + Lanes::kLanes;

  /// Holds the nodes of one row that wait for their queen, each with at least one square for it.
  /// `left` and `right` are the squares of that row that inner queens above attack along diagonals.
  struct Pool {
    alignas(64) Word columns[kRoom];
    alignas(64) Word left[kRoom];
    alignas(64) Word right[kRoom];
    alignas(64) Word untried[kRoom];  // of nodes that were packed back
    int size;
  };

  bool place_root() {
    Pool& pool = pools_[0];
    pool.columns[0] = static_cast<Word>(board_.taken_columns);
    pool.left[0] = pool.right[0] = 0;
    pool.size = (board_.rows[0].free & ~board_.taken_columns) != 0;
    return pool.size > 0;
  }

  /// Holds in registers what a step from one row to the next needs.
  struct Rows {
    Words free, next_free, after_free;  // of the row, the next one and the one after that
    Shift step, next_step;
  };
  struct Nodes {
    Words columns, left, right;
  };

  Rows rows_from(int row) const {
    const InnerRow* rows = board_.rows + row;  // Empty rows follow the last one.
    return {Lanes::all(rows[0].free), Lanes::all(rows[1].free), Lanes::all(rows[2].free),
            Lanes::shift(rows[0].step), Lanes::shift(rows[1].step)};
  }

  void work_off(int row) {
    if (row + 2 == board_.row_count) {
      work_off<true>(row);
    } else {
      work_off<false>(row);
    }
  }

  /// With kLast the children are in the last row, where a free square is a solution.
  template <bool kLast>
  void work_off(int row) {
    const Rows rows = rows_from(row);
    Pool& pool = pools_[row];
    Pool& children = pools_[row + 1];
    int waiting = children.size;
    for (bool fresh = true; pool.size > 0; fresh = false) {
      int kept = 0;
      for (int first = 0; first < pool.size; first += Lanes::kLanes) {
        const Mask here = Lanes::first(pool.size - first);
        const Nodes nodes = load(pool, first);
        const Words untried =
            fresh ? free_squares(rows.free, nodes) : Lanes::load(pool.untried + first);
        const Words queen = Lanes::lowest(untried);
        tally_.nodes += static_cast<unsigned>(Lanes::count(here));
        waiting += add_children<kLast>(rows, here, with_queen(nodes, queen), children, waiting);
        // `kept` never exceeds `first`, so only nodes that have been loaded are overwritten.
        kept += keep(pool, kept, here, nodes, Lanes::without(untried, queen));
        if (!kLast && waiting >= kFull) {
          children.size = waiting;
          work_off(row + 1);
          waiting = 0;
        }
      }
      pool.size = kept;
    }
    children.size = waiting;
  }

  /// Appends the children that can live to the waiting nodes. Returns how many there were. In the
  /// last row they are only counted.
  template <bool kLast>
  int add_children(const Rows& rows, Mask here, const Nodes& placed, Pool& pool, int waiting) {
    const Nodes child = moved(placed, rows.step);
    Mask alive = Lanes::some(here, free_squares(rows.next_free, child));
    if constexpr (kLast) {
      tally_.solutions += static_cast<unsigned>(Lanes::count(alive));
      return 0;
    } else {
      alive = Lanes::some(alive, free_squares(rows.after_free, moved(child, rows.next_step)));
      pack(pool, waiting, alive, child);
      return Lanes::count(alive);
    }
  }

  /// Packs the nodes that have squares left to try. Returns how many there were.
  int keep(Pool& pool, int kept, Mask here, const Nodes& nodes, Words untried) {
    const Mask more = Lanes::some(here, untried);
    pack(pool, kept, more, nodes);
    Lanes::pack(pool.untried + kept, more, untried);
    return Lanes::count(more);
  }

  static Nodes load(const Pool& pool, int at) {
    return {Lanes::load(pool.columns + at), Lanes::load(pool.left + at),
            Lanes::load(pool.right + at)};
  }

  static void pack(Pool& pool, int at, Mask mask, const Nodes& nodes) {
    Lanes::pack(pool.columns + at, mask, nodes.columns);
    Lanes::pack(pool.left + at, mask, nodes.left);
    Lanes::pack(pool.right + at, mask, nodes.right);
  }

  static Nodes with_queen(const Nodes& nodes, Words queen) {
    return {Lanes::either(nodes.columns, queen), Lanes::either(nodes.left, queen),
            Lanes::either(nodes.right, queen)};
  }

  static Nodes moved(const Nodes& nodes, Shift rows) {
    return {nodes.columns, Lanes::left(nodes.left, rows), Lanes::right(nodes.right, rows)};
  }

  static Words free_squares(Words free, const Nodes& nodes) {
    return Lanes::free(free, nodes.columns, nodes.left, nodes.right);
  }

  const InnerBoard& board_;
  Tally tally_;
  Pool pools_[kLargestBoard];
};

}  // namespace lapcast::workloads::nqueens

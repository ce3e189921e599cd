#include "nqueens/fast.h"

#include <bit>
#include <memory>
#include <utility>

#include "nqueens/border.h"
#include "nqueens/depth_first.h"
#include "nqueens/paper.h"
#include "nqueens/vector_searches.h"

namespace lapcast::workloads::nqueens {
namespace {

Tally search_plain(const InnerBoard& board) {
  Node frames[kLargestBoard];
  DepthFirst<true> search(frames, 1);
  search.begin(board, 0, Node{board.taken_columns});
  Tally tally;
  while (!search.done()) {
    tally.solutions += search.step();
    ++tally.nodes;
  }
  return tally;
}

/// Searches a board of at most one row: its free squares are solutions, or the border itself is
/// one.
Tally search_small(const InnerBoard& board) {
  if (board.row_count == 0) return {1, 0};
  const uint32_t free = board.rows[0].free & ~board.taken_columns;
  const uint64_t squares = static_cast<uint64_t>(std::popcount(free));
  return {squares, squares};
}

}  // namespace

std::vector<InnerBoard> inner_boards(int n) {
  std::vector<InnerBoard> boards;
  for (const BorderClass& border : border_classes(n)) boards.push_back(inner_board(n, border));
  return boards;
}

SearchInner search_for([[maybe_unused]] Isa isa, [[maybe_unused]] int n) {
#ifdef NQUEENS_VECTORS
  const bool fits_words = n - 2 <= 16;
  switch (isa) {
    case Isa::kPlain:
      return search_plain;
    case Isa::kAvx2:
      return fits_words ? search_avx2_words : search_avx2;
    case Isa::kAvx512:
      return search_avx512;
    case Isa::kAvx512Words:
      return fits_words ? search_avx512_words : search_avx512;
  }
#endif
  return search_plain;
}

Tally search_board(const InnerBoard& board, SearchInner search) {
  Tally tally = board.row_count < 2 ? search_small(board) : search(board);
  tally.solutions *= board.weight;
  return tally;
}

Work fast_work(int n, Isa isa) {
  if (n < 4) return paper_work(n);
  auto boards = std::make_shared<const std::vector<InnerBoard>>(inner_boards(n));
  Work work;
  work.items = static_cast<int64_t>(boards->size());
  work.search = [search = search_for(isa, n), boards = std::move(boards)](int64_t item) {
    return search_board((*boards)[static_cast<size_t>(item)], search);
  };
  return work;
}

}  // namespace lapcast::workloads::nqueens

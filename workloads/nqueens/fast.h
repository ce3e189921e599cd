#pragma once

#include <vector>

#include "nqueens/inner_board.h"
#include "nqueens/isa.h"
#include "nqueens/work.h"

namespace lapcast::workloads::nqueens {

/// The search by border queens: one border of each class (border.h), and behind each a search of
/// the inside, in vector lanes where the CPU has them (level_search.h).

/// The inner boards of all classes, in an order in which neighbours are alike; n >= 4.
std::vector<InnerBoard> inner_boards(int n);

/// The search of inner boards of an n x n board for an instruction set of this build; of at least
/// two rows.
SearchInner search_for(Isa isa, int n);

/// Solutions of an inner board of any number of rows, weighted.
Tally search_board(const InnerBoard& board, SearchInner search);

/// 1 <= n <= kLargestBoard. Boards under 4 have too little border and are left to paper_work().
Work fast_work(int n, Isa isa);

}  // namespace lapcast::workloads::nqueens

#pragma once

#include <vector>

#include "nqueens/inner_board.h"
#include "nqueens/isa.h"
#include "nqueens/work.h"

namespace lapcast::workloads::nqueens {

/// Searches by border queens: one border of each class (border.h) and, for each, the inside, in
/// vector lanes where the CPU has them (level_search.h).

/// Returns the inner boards of all classes in an order in which neighbours are alike; n >= 4.
std::vector<InnerBoard> inner_boards(int n);

/// Returns the search of inner boards of at least two rows of an n x n board for an instruction set
/// of this build.
SearchInner search_for(Isa isa, int n);

/// Returns the weighted solutions of an inner board of any number of rows.
Tally search_board(const InnerBoard& board, SearchInner search);

/// Returns the search for 1 <= n <= kLargestBoard. Boards under 4 have too little border, so
/// paper_work() does them.
Work fast_work(int n, Isa isa);

}  // namespace lapcast::workloads::nqueens

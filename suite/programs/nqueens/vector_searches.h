#pragma once

#include "nqueens/inner_board.h"

namespace lapcast::workloads::nqueens {

/// Search inner boards of at least two rows, each compiled for the instructions in its name.
/// "words" has lanes of 16 bits, for at most 16 inner columns; the others have lanes of 32 bits.
Tally search_avx512_words(const InnerBoard& board);
Tally search_avx512(const InnerBoard& board);
Tally search_avx2_words(const InnerBoard& board);
Tally search_avx2(const InnerBoard& board);

}  // namespace lapcast::workloads::nqueens

#pragma once

#include <array>
#include <cstdint>

namespace lapcast::workloads::nqueens {

/// Holds OEIS A000170: the solutions for boards of 0 to 20 rows.
inline constexpr std::array<uint64_t, 21> kSolutions = {
    1,    1,     0,     0,      2,       10,       4,        40,        92,         352,        724,
    2680, 14200, 73712, 365596, 2279184, 14772512, 95815104, 666090624, 4968057848, 39029188884};

}  // namespace lapcast::workloads::nqueens

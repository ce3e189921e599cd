#pragma once

#include <cstdint>

namespace lapcast::workloads::nqueens {

/// Is the largest board whose counts, of nodes too, fit 64 bits; a row of it fits 32.
constexpr int kLargestBoard = 20;

/// Holds the counts of a search or a part of one. The tallies of parts add up.
struct Tally {
  uint64_t solutions = 0;
  uint64_t nodes = 0;  ///< queens placed on squares that no other queen attacked
};

inline Tally& operator+=(Tally& sum, const Tally& part) {
  sum.solutions += part.solutions;
  sum.nodes += part.nodes;
  return sum;
}

}  // namespace lapcast::workloads::nqueens

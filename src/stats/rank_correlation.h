#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace lapcast {

/// Counts how two sets of values order the pairs of the same things.
struct RankAgreement {
  std::int64_t pairs = 0;
  std::int64_t tied_a = 0;      // equal in a, perhaps in b too
  std::int64_t tied_b = 0;      // equal in b, perhaps in a too
  std::int64_t discordant = 0;  // in the other order in a than in b
  std::int64_t concordant = 0;  // in the same order in both
  /// Returns Kendall's tau-b, which counts ties (Kendall 1945): 1 = the same order, -1 = the
  /// opposite one. Returns nothing when all values of a, or all of b, are equal.
  std::optional<double> tau() const;
};

/// Compares the orders of two sets of as many finite values, in n log n steps (Knight 1966).
RankAgreement rank_agreement(std::span<const double> a, std::span<const double> b);

}  // namespace lapcast

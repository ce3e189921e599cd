#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace lapcast {

/// Counts the pairs of items that two sets of values put into the same or the opposite order.
struct RankAgreement {
  std::int64_t pairs = 0;
  std::int64_t tied_a = 0;      // equal in a, perhaps in b too
  std::int64_t tied_b = 0;      // equal in b, perhaps in a too
  std::int64_t discordant = 0;  // in the opposite order in a and b
  std::int64_t concordant = 0;  // in the same order in both
  /// Returns Kendall's tau-b, which accounts for ties (Kendall 1945): 1 = the same order, -1 = the
  /// opposite one. Returns nothing when all values of a, or all of b, are equal.
  std::optional<double> tau() const;
};

/// Compares the orders of two sets of finite values of equal size. O(n log n) (Knight 1966).
RankAgreement rank_agreement(std::span<const double> a, std::span<const double> b);

}  // namespace lapcast

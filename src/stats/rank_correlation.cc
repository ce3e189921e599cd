#include "stats/rank_correlation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace lapcast {
namespace {

using Values = std::pair<double, double>;

/// Returns how many pairs of equal values a sorted sequence has.
template <class Equal>
std::int64_t tied_pairs(const std::vector<Values>& sorted, Equal equal) {
  std::int64_t pairs = 0;
  std::int64_t run = 0;  // values before this one that are equal to it
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    run = equal(sorted[i - 1], sorted[i]) ? run + 1 : 0;
    pairs += run;
  }
  return pairs;
}

/// Sorts by the second values, and returns how many pairs were out of order.
std::int64_t sort_counting(std::span<Values> values, std::vector<Values>& room) {
  if (values.size() < 2) return 0;
  const std::size_t half = values.size() / 2;
  const std::span<Values> left = values.first(half);
  const std::span<Values> right = values.subspan(half);
  std::int64_t opposite = sort_counting(left, room) + sort_counting(right, room);
  room.clear();
  auto next = left.begin();
  for (const Values& value : right) {
    while (next != left.end() && next->second <= value.second) room.push_back(*next++);
    opposite += left.end() - next;
    room.push_back(value);
  }
  room.insert(room.end(), next, left.end());
  std::ranges::copy(room, values.begin());
  return opposite;
}

}  // namespace

std::optional<double> RankAgreement::tau() const {
  if (tied_a >= pairs || tied_b >= pairs) return std::nullopt;
  return static_cast<double>(concordant - discordant) /
         (std::sqrt(static_cast<double>(pairs - tied_a)) *
          std::sqrt(static_cast<double>(pairs - tied_b)));
}

RankAgreement rank_agreement(std::span<const double> a, std::span<const double> b) {
  std::vector<Values> values;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) values.emplace_back(a[i], b[i]);
  std::ranges::sort(values);
  const auto n = std::ssize(values);
  RankAgreement result{.pairs = n * (n - 1) / 2};
  const auto equal_b = [](const Values& x, const Values& y) { return x.second == y.second; };
  result.tied_a = tied_pairs(values, [](auto& x, auto& y) { return x.first == y.first; });
  const std::int64_t tied_both = tied_pairs(values, std::equal_to<>());
  std::vector<Values> room;
  result.discordant = sort_counting(values, room);
  result.tied_b = tied_pairs(values, equal_b);
  result.concordant = result.pairs - result.tied_a - result.tied_b + tied_both - result.discordant;
  return result;
}

}  // namespace lapcast

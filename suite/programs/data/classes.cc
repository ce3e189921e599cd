#include "data/classes.h"

#include <array>
#include <numeric>

namespace lapcast::workloads {

std::vector<int64_t> shares_of_classes(std::span<const int64_t> sizes, int64_t n) {
  const auto classes = std::count_if(sizes.begin(), sizes.end(), [](int64_t s) { return s > 0; });
  const int64_t all = std::accumulate(sizes.begin(), sizes.end(), int64_t{0});
  const int64_t least = n >= classes ? 1 : 0;
  std::vector<double> exact;
  std::vector<int64_t> shares;
  for (const int64_t size : sizes) {
    exact.push_back(static_cast<double>(n) * static_cast<double>(size) / static_cast<double>(all));
    shares.push_back(size > 0 ? std::max(least, static_cast<int64_t>(exact.back())) : 0);
  }
  // A class that was raised to one sample takes it from the class that can best do without.
  const auto missing = [&](size_t c) { return exact[c] - static_cast<double>(shares[c]); };
  int64_t left = n - std::accumulate(shares.begin(), shares.end(), int64_t{0});
  for (; left != 0; left += left > 0 ? -1 : 1) {
    size_t chosen = shares.size();
    for (size_t c = 0; c < shares.size(); ++c) {
      if (left > 0 ? sizes[c] == 0 : shares[c] <= least) continue;
      const bool first = chosen == shares.size();
      if (first || (left > 0 ? missing(c) > missing(chosen) : missing(c) < missing(chosen))) {
        chosen = c;
      }
    }
    shares[chosen] += left > 0 ? 1 : -1;
  }
  return shares;
}

std::vector<size_t> first_of_each_class(std::span<const uint8_t> labels, int64_t n) {
  std::array<int64_t, 256> sizes{};
  for (const uint8_t label : labels) ++sizes[label];
  const auto all = static_cast<int64_t>(labels.size());
  std::vector<int64_t> left = shares_of_classes(sizes, n > 0 && n < all ? n : all);
  std::vector<size_t> places;
  for (size_t i = 0; i < labels.size(); ++i) {
    if (left[labels[i]]-- > 0) places.push_back(i);
  }
  return places;
}

}  // namespace lapcast::workloads

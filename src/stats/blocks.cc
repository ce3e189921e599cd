#include "stats/blocks.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "stats/summary.h"

namespace lapcast {

std::vector<double> block_means(std::span<const double> values, std::size_t block) {
  std::vector<double> means;
  means.reserve(values.size() / block);
  for (std::size_t i = 0; i + block <= values.size(); i += block)
    means.push_back(mean(values.subspan(i, block)));
  return means;
}

std::vector<std::size_t> thinned_indices(std::size_t n, std::size_t most) {
  std::vector<std::size_t> some(std::min(n, most));
  std::iota(some.begin(), some.end(), std::size_t{0});
  if (n <= most) return some;
  std::uint64_t state = 88172645463325252ULL;  // xorshift64, Marsaglia 2003
  for (std::size_t i = 0; i < most; ++i) {
    const std::size_t begin = i * n / most;
    const std::size_t end = (i + 1) * n / most;
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    some[i] = begin + state % (end - begin);
  }
  return some;
}

std::vector<double> thinned(std::span<const double> values, std::size_t most) {
  if (values.size() <= most) return {values.begin(), values.end()};
  std::vector<double> some;
  some.reserve(most);
  for (const std::size_t i : thinned_indices(values.size(), most)) some.push_back(values[i]);
  return some;
}

}  // namespace lapcast

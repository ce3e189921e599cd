#include "stats/holm.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace lapcast {

std::vector<double> holm_adjusted(std::span<const double> p_values) {
  std::vector<std::size_t> ascending(p_values.size());
  std::iota(ascending.begin(), ascending.end(), 0);
  std::ranges::stable_sort(ascending, {}, [&](std::size_t i) { return p_values[i]; });
  std::vector<double> adjusted(p_values.size());
  double largest = 0;
  for (std::size_t rank = 0; rank < ascending.size(); ++rank) {
    const auto hypotheses_left = static_cast<double>(ascending.size() - rank);
    largest = std::max(largest, hypotheses_left * p_values[ascending[rank]]);
    adjusted[ascending[rank]] = std::min(1.0, largest);
  }
  return adjusted;
}

}  // namespace lapcast

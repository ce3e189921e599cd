#include "stats/summary.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace lapcast {

double mean(std::span<const double> values) {
  if (values.empty()) return kUnknown;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double standard_deviation(std::span<const double> values) {
  if (values.size() < 2) return kUnknown;
  const double centre = mean(values);
  double squares = 0;
  for (double value : values) squares += (value - centre) * (value - centre);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double quantile(std::span<const double> values, double p) {
  if (values.empty()) return kUnknown;
  std::vector<double> copy(values.begin(), values.end());
  const double rank = std::clamp(p, 0.0, 1.0) * static_cast<double>(copy.size() - 1);
  const auto below = static_cast<std::ptrdiff_t>(rank);
  std::nth_element(copy.begin(), copy.begin() + below, copy.end());
  const double low = copy[static_cast<std::size_t>(below)];
  const double share = rank - static_cast<double>(below);
  if (share == 0) return low;
  return low + share * (*std::min_element(copy.begin() + below + 1, copy.end()) - low);
}

double median(std::span<const double> values) {
  return quantile(values, 0.5);
}

double median_absolute_deviation(std::span<const double> values) {
  const double centre = median(values);
  std::vector<double> distances(values.size());
  std::transform(values.begin(), values.end(), distances.begin(),
                 [centre](double value) { return std::abs(value - centre); });
  return median(distances);
}

double robust_deviation(std::span<const double> values) {
  return 1.4826 * median_absolute_deviation(values);
}

Summary summarise(std::span<const double> values) {
  Summary result{values.size(), mean(values), standard_deviation(values), median(values),
                 median_absolute_deviation(values)};
  if (values.empty()) return result;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  result.min = *least;
  result.max = *most;
  return result;
}

}  // namespace lapcast

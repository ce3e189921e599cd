#include "stats/summary.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
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

void WeightedValues::add(double value, double weight) {
  if (!(weight > 0)) return;
  sorted_ = sorted_ && (entries_.empty() || entries_.back().value <= value);
  entries_.push_back({value, weight});
  weight_ += weight;
}

void WeightedValues::add(const WeightedValues& other, double weight) {
  for (const Entry& entry : other.entries_) add(entry.value, entry.weight * weight);
}

double WeightedValues::quantile(double p) const {
  if (entries_.empty()) return kUnknown;
  if (!sorted_) {
    std::stable_sort(entries_.begin(), entries_.end(),
                     [](const Entry& a, const Entry& b) { return a.value < b.value; });
    sorted_ = true;
  }
  const double wanted = p * weight_;
  double reached = 0;
  for (const Entry& entry : entries_) {
    reached += entry.weight;
    if (reached >= wanted) return entry.value;
  }
  return entries_.back().value;
}

double WeightedValues::share_up_to(double value) const {
  double sum = 0;
  for (const Entry& entry : entries_)
    if (entry.value <= value) sum += entry.weight;
  return sum / weight_;
}

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

#include "stats/stalls.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "stats/blocks.h"
#include "stats/summary.h"

namespace lapcast {
namespace {

constexpr std::size_t kHalfWindow = 5;
constexpr double kLeastExcess = 0.3;  // of the neighbours' median: below it a lap is only noisy
constexpr double kDeviations = 6;
constexpr std::size_t kLongSeries = 16384;
constexpr std::size_t kStretch = 64;  // more than half a window

void replace_sorted(std::vector<double>& sorted, double out, double in) {
  sorted.erase(std::lower_bound(sorted.begin(), sorted.end(), out));
  sorted.insert(std::upper_bound(sorted.begin(), sorted.end(), in), in);
}

std::vector<double> relative_excess(std::span<const double> values,
                                    std::span<const double> medians) {
  std::vector<double> excess(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    excess[i] = medians[i] > 0 ? values[i] / medians[i] - 1 : 0;
  }
  return excess;
}

double local_median(std::span<const double> values, std::size_t i) {
  constexpr std::size_t kWidth = 2 * kHalfWindow + 1;
  const std::size_t begin = std::min(i > kHalfWindow ? i - kHalfWindow : 0, values.size() - kWidth);
  std::array<double, kWidth> window;
  std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(begin), kWidth, window.begin());
  std::nth_element(window.begin(), window.begin() + kHalfWindow, window.end());
  return window[kHalfWindow];
}

double excess_at(std::span<const double> values, std::size_t i) {
  const double middle = local_median(values, i);
  return middle > 0 ? values[i] / middle - 1 : 0;
}

std::vector<double> least_of_stretches(std::span<const double> values) {
  std::vector<double> least;
  for (std::size_t begin = 0; begin < values.size(); begin += kStretch) {
    double smallest = values[begin];
    for (const double value : values.subspan(begin, std::min(kStretch, values.size() - begin)))
      smallest = std::min(smallest, value);
    least.push_back(smallest);
  }
  return least;
}

// The limit from some of the values; medians only where a value could be above it: no median of
// neighbours is below the smallest of a stretch that holds them.
void find_stalls_of_long(std::span<const double> values, Stalls& stalls) {
  std::vector<double> excess;
  for (const std::size_t i : thinned_indices(values.size())) excess.push_back(excess_at(values, i));
  const double limit = std::max(kLeastExcess, kDeviations * robust_deviation(excess));
  const std::vector<double> least = least_of_stretches(values);
  for (std::size_t k = 0; k < least.size(); ++k) {
    const double before = least[k > 0 ? k - 1 : 0];
    const double after = least[std::min(k + 1, least.size() - 1)];
    const double suspect = std::min({before, least[k], after}) * (1 + limit);
    for (std::size_t i = k * kStretch; i < std::min((k + 1) * kStretch, values.size()); ++i) {
      if (values[i] <= suspect || excess_at(values, i) <= limit) continue;
      stalls.at.push_back(i);
      stalls.usual.push_back(local_median(values, i));
    }
  }
}

}  // namespace

std::vector<double> running_median(std::span<const double> values, std::size_t half) {
  const std::size_t width = 2 * half + 1;
  if (values.size() <= width) return std::vector<double>(values.size(), median(values));
  std::vector<double> window(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(width));
  std::sort(window.begin(), window.end());
  std::vector<double> medians(values.size(), window[half]);
  for (std::size_t i = half + 1; i + half < values.size(); ++i) {
    replace_sorted(window, values[i - half - 1], values[i + half]);
    medians[i] = window[half];
  }
  std::fill(medians.end() - static_cast<std::ptrdiff_t>(half), medians.end(), window[half]);
  return medians;
}

std::size_t Stalls::events() const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < at.size(); ++i) count += i == 0 || at[i] != at[i - 1] + 1;
  return count;
}

Stalls find_stalls(std::span<const double> values) {
  Stalls stalls;
  if (values.size() < 5) return stalls;
  if (values.size() > kLongSeries) {
    find_stalls_of_long(values, stalls);
    return stalls;
  }
  const std::vector<double> medians = running_median(values, kHalfWindow);
  const std::vector<double> excess = relative_excess(values, medians);
  const double limit = std::max(kLeastExcess, kDeviations * robust_deviation(excess));
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (excess[i] <= limit) continue;
    stalls.at.push_back(i);
    stalls.usual.push_back(medians[i]);
  }
  return stalls;
}

std::vector<double> clipped(std::span<const double> values, const Stalls& stalls) {
  std::vector<double> result(values.begin(), values.end());
  for (std::size_t i = 0; i < stalls.at.size(); ++i)
    if (stalls.at[i] < result.size()) result[stalls.at[i]] = stalls.usual[i];
  return result;
}

}  // namespace lapcast

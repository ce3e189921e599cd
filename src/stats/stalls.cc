#include "stats/stalls.h"

#include <algorithm>
#include <cmath>

#include "stats/summary.h"

namespace lapcast {
namespace {

constexpr std::size_t kHalfWindow = 5;
constexpr double kLeastExcess = 0.3;  // of the neighbours' median: below it a lap is only noisy
constexpr double kDeviations = 6;

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
  Stalls stalls{{}, {values.begin(), values.end()}};
  if (values.size() < 5) return stalls;
  const std::vector<double> medians = running_median(values, kHalfWindow);
  const std::vector<double> excess = relative_excess(values, medians);
  const double limit = std::max(kLeastExcess, kDeviations * robust_deviation(excess));
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (excess[i] <= limit) continue;
    stalls.at.push_back(i);
    stalls.clipped[i] = medians[i];
  }
  return stalls;
}

}  // namespace lapcast

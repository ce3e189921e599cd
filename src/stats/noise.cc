#include "stats/noise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "stats/intervals.h"
#include "stats/summary.h"

namespace lapcast {
namespace {

constexpr std::size_t kMostBlocks = 2048;
constexpr std::size_t kManyEnoughToBound = 10;
constexpr double kRoundingError = 1e-12;  // relative deviation below which values are equal

/// Returns the sum of products of values `lag` apart.
double product_sum(std::span<const double> centred, std::size_t lag) {
  double sum = 0;
  for (std::size_t i = lag; i < centred.size(); ++i) sum += centred[i] * centred[i - lag];
  return sum;
}

double geyer_inflation(std::span<const double> centred, double variance_sum) {
  double inflation = -1;
  double previous = 2;  // no pair of correlations exceeds it
  for (std::size_t lag = 0; lag + 1 < centred.size() / 2; lag += 2) {
    const double pair = (product_sum(centred, lag) + product_sum(centred, lag + 1)) / variance_sum;
    if (pair <= 0) break;
    previous = std::min(previous, pair);
    inflation += 2 * previous;
  }
  return inflation;
}

double first_order_inflation(std::span<const double> centred, double variance_sum) {
  const double n = static_cast<double>(centred.size());
  const double seen = product_sum(centred, 1) / variance_sum;
  const double corrected = std::min(0.95, (n * seen + 1) / (n - 3));
  return (1 + corrected) / (1 - corrected);
}

double inflation_of_blocks(std::span<const double> values) {
  const double centre = mean(values);
  std::vector<double> centred(values.begin(), values.end());
  for (double& value : centred) value -= centre;
  const double variance_sum = product_sum(centred, 0);
  const double of_rounding = std::pow(centre * kRoundingError, 2);
  if (!(variance_sum > of_rounding * static_cast<double>(values.size()))) return 1;
  const double larger = std::max(geyer_inflation(centred, variance_sum),
                                 first_order_inflation(centred, variance_sum));
  return std::clamp(larger, 1.0, static_cast<double>(values.size()) / 2);
}

Interval<double> within_reach(const Interval<double>& interval, std::span<const double> values) {
  if (values.size() < kManyEnoughToBound) return interval;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double reach = (*high - *low) / 2;
  return {std::max(interval.low, *low - reach), interval.mid,
          std::min(interval.high, *high + reach)};
}

/// Returns variance_inflation(); `deviation` is the standard deviation of the values.
double inflation(std::span<const double> values, double deviation) {
  if (values.size() < 4) return 1;
  if (values.size() <= kMostBlocks) return inflation_of_blocks(values);
  const std::size_t block = (values.size() + kMostBlocks - 1) / kMostBlocks;
  const std::vector<double> means = block_means(values, block);
  const double variance = std::pow(deviation, 2);
  if (!(variance > 0)) return 1;
  const double of_blocks = std::pow(standard_deviation(means), 2) * inflation_of_blocks(means);
  return std::max(1.0, of_blocks * static_cast<double>(block) / variance);
}

/// Returns autocorrelated_mean() of at least two values with weights.
MeanEstimate weighted_mean(std::span<const double> values, std::span<const double> weights) {
  double sum = 0, weight = 0, weight_squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += weights[i] * values[i];
    weight += weights[i];
    weight_squares += weights[i] * weights[i];
  }
  const double centre = sum / weight;
  double squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    squares += std::pow(weights[i] * (values[i] - centre), 2);
  const double n = static_cast<double>(values.size());
  const double inflated = inflation(values, standard_deviation(values));
  const double error = std::sqrt(squares * n / (n - 1) * inflated) / weight;
  const double effective = weight * weight / weight_squares / inflated;
  const double df = std::max(1.0, effective - 1);
  return {within_reach(t_interval(centre, error, df), values), effective, error};
}

constexpr std::size_t kHalfWindow = 5;
constexpr double kLeastExcess = 0.3;  // of the neighbours' median: below it a lap is only noisy
constexpr double kDeviations = 6;
constexpr std::size_t kLongSeries = 16384;
constexpr std::size_t kStretch = 64;  // more than half a window

void replace_sorted(std::vector<double>& sorted, double out, double in) {
  sorted.erase(std::lower_bound(sorted.begin(), sorted.end(), out));
  sorted.insert(std::upper_bound(sorted.begin(), sorted.end(), in), in);
}

double local_median(std::span<const double> values, std::size_t i) {
  constexpr std::size_t kWidth = 2 * kHalfWindow + 1;
  const std::size_t begin = std::min(i > kHalfWindow ? i - kHalfWindow : 0, values.size() - kWidth);
  std::array<double, kWidth> window;
  std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(begin), kWidth, window.begin());
  std::nth_element(window.begin(), window.begin() + kHalfWindow, window.end());
  return window[kHalfWindow];
}

double relative_excess(double value, double usual) {
  return usual > 0 ? value / usual - 1 : 0;
}

double stall_limit(std::span<const double> excess) {
  return std::max(kLeastExcess, kDeviations * robust_deviation(excess));
}

std::vector<double> least_of_stretches(std::span<const double> values) {
  std::vector<double> least;
  for (std::size_t begin = 0; begin < values.size(); begin += kStretch)
    least.push_back(
        std::ranges::min(values.subspan(begin, std::min(kStretch, values.size() - begin))));
  return least;
}

/// Estimates the limit from a sample of the values, and computes medians only where a value could
/// exceed it: no running median is below the smallest value of a stretch that contains its window.
Stalls find_stalls_of_long(std::span<const double> values) {
  std::vector<double> excess;
  for (const std::size_t i : thinned_indices(values.size()))
    excess.push_back(relative_excess(values[i], local_median(values, i)));
  const double limit = stall_limit(excess);
  const std::vector<double> least = least_of_stretches(values);
  Stalls stalls;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t k = i / kStretch;
    const double nearby =
        std::min({least[k > 0 ? k - 1 : 0], least[k], least[std::min(k + 1, least.size() - 1)]});
    if (values[i] <= nearby * (1 + limit)) continue;
    const double usual = local_median(values, i);
    if (relative_excess(values[i], usual) <= limit) continue;
    stalls.at.push_back(i);
    stalls.usual.push_back(usual);
  }
  return stalls;
}

/// Returns the difference of the two means in units of a single value's deviation, for a split at
/// `at`.
double contrast(double head_sum, double sum, double at, double n) {
  const double difference = head_sum / at - (sum - head_sum) / (n - at);
  return std::abs(difference) * std::sqrt(at * (n - at) / n);
}

std::size_t best_split(std::span<const double> values, std::size_t min_tail) {
  const double n = static_cast<double>(values.size());
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  double head_sum = 0, best = -1;
  std::size_t split = 1;
  for (std::size_t at = 1; at + min_tail <= values.size(); ++at) {
    head_sum += values[at - 1];
    const double here = contrast(head_sum, sum, static_cast<double>(at), n);
    if (here > best) best = here, split = at;
  }
  return split;
}

std::vector<double> residuals(std::span<const double> values, const LevelShift& shift) {
  std::vector<double> result(values.begin(), values.end());
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] -= i < shift.at ? shift.before : shift.after;
  }
  return result;
}

}  // namespace

double variance_inflation(std::span<const double> values) {
  return inflation(values, standard_deviation(values));
}

MeanEstimate autocorrelated_mean(std::span<const double> values, std::span<const double> weights) {
  if (values.size() < 2) {
    return {mean_interval(values), static_cast<double>(values.size()), kUnknown};
  }
  if (!weights.empty()) return weighted_mean(values, weights);
  const double deviation = standard_deviation(values);
  const double effective = static_cast<double>(values.size()) / inflation(values, deviation);
  const double error = deviation / std::sqrt(effective);
  const double df = std::max(1.0, effective - 1);
  return {within_reach(t_interval(mean(values), error, df), values), effective, error};
}

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

std::size_t count_stalls(std::span<const std::size_t> at) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < at.size(); ++i) count += i == 0 || at[i] != at[i - 1] + 1;
  return count;
}

Stalls find_stalls(std::span<const double> values) {
  if (values.size() < 5) return {};
  if (values.size() > kLongSeries) return find_stalls_of_long(values);
  const std::vector<double> medians = running_median(values, kHalfWindow);
  std::vector<double> excess(values.size());
  std::ranges::transform(values, medians, excess.begin(), relative_excess);
  const double limit = stall_limit(excess);
  Stalls stalls;
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

std::optional<LevelShift> strongest_level_shift(std::span<const double> values,
                                                std::size_t min_tail) {
  if (values.size() <= min_tail || values.size() < 3) return std::nullopt;
  LevelShift shift;
  shift.at = best_split(values, min_tail);
  shift.before = mean(values.first(shift.at));
  shift.after = mean(values.subspan(shift.at));
  if (shift.before == shift.after) return std::nullopt;

  const std::vector<double> noise = residuals(values, shift);
  const double n = static_cast<double>(values.size());
  const double at = static_cast<double>(shift.at);
  const double variance = std::pow(standard_deviation(noise), 2) * (n - 1) / (n - 2);
  const double error = std::sqrt(variance * variance_inflation(noise) * (1 / at + 1 / (n - at)));
  const double difference = std::abs(shift.before - shift.after);
  shift.score = error > 0 ? difference / error : std::numeric_limits<double>::infinity();
  return shift;
}

}  // namespace lapcast

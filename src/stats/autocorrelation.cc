#include "stats/autocorrelation.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/blocks.h"
#include "stats/intervals.h"
#include "stats/summary.h"

namespace lapcast {
namespace {

constexpr std::size_t kMostBlocks = 2048;
constexpr std::size_t kManyEnoughToBound = 10;

// Sum of products of values `lag` apart.
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
  if (!(variance_sum > 0)) return 1;
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

// deviation: the standard deviation of the values.
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

}  // namespace

double variance_inflation(std::span<const double> values) {
  return inflation(values, standard_deviation(values));
}

MeanEstimate autocorrelated_mean(std::span<const double> values, double confidence) {
  if (values.size() < 2) {
    return {mean_interval(values), static_cast<double>(values.size()), kUnknown};
  }
  const double deviation = standard_deviation(values);
  const double effective = static_cast<double>(values.size()) / inflation(values, deviation);
  const double error = deviation / std::sqrt(effective);
  const double df = std::max(1.0, effective - 1);
  return {within_reach(t_interval(mean(values), error, df, confidence), values), effective, error};
}

}  // namespace lapcast

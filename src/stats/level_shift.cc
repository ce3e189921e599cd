#include "stats/level_shift.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "stats/autocorrelation.h"
#include "stats/summary.h"

namespace lapcast {
namespace {

// Difference of the two means in units of a single value's deviation, for a split at `at`.
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

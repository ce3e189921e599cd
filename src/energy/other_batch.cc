#include "energy/other_batch.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace lapcast {
namespace {

// `./bench energy-forecast` fits and measures these three on energy-zeus.
constexpr double kSpeedExponent = 0.28;
constexpr double kOneBatchFactor = 1.7;
constexpr double kMoreBatchesFactor = 1.35;

bool is_above_zero(double value) {
  return value > 0 && std::isfinite(value);
}

/// Returns the power on the line through the measured ones, which are in order of speed.
double on_line(const std::vector<BatchPower>& slowest_first, double epoch_s) {
  const auto after = std::ranges::find_if(
      slowest_first, [&](const BatchPower& each) { return each.epoch_s <= epoch_s; });
  if (after == slowest_first.begin()) return after->watts;
  const BatchPower& before = *std::prev(after);
  if (after == slowest_first.end()) return before.watts;
  const double share =
      (1 / epoch_s - 1 / before.epoch_s) / (1 / after->epoch_s - 1 / before.epoch_s);
  return before.watts + share * (after->watts - before.watts);
}

}  // namespace

std::optional<Interval<double>> power_at_other_batch(std::span<const BatchPower> measured,
                                                     double epoch_s,
                                                     std::optional<double> most_watts) {
  const auto is_usable = [](const BatchPower& each) {
    return is_above_zero(each.epoch_s) && is_above_zero(each.watts);
  };
  if (measured.empty() || !is_above_zero(epoch_s) || !std::ranges::all_of(measured, is_usable))
    return std::nullopt;
  std::vector<BatchPower> slowest_first(measured.begin(), measured.end());
  std::ranges::sort(slowest_first, std::greater<>(), &BatchPower::epoch_s);
  const bool is_one = measured.size() == 1;
  double watts = is_one
                     ? measured[0].watts * std::pow(measured[0].epoch_s / epoch_s, kSpeedExponent)
                     : on_line(slowest_first, epoch_s);
  if (most_watts) watts = std::min(watts, *most_watts);
  if (!is_above_zero(watts)) return std::nullopt;
  const double factor = is_one ? kOneBatchFactor : kMoreBatchesFactor;
  return Interval<double>{watts / factor, watts, watts * factor};
}

}  // namespace lapcast

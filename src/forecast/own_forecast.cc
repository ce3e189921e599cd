#include "forecast/own_forecast.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include "forecast/few_values.h"
#include "forecast/validation_cost.h"
#include "stats/distributions.h"

namespace lapcast {
namespace {

double start_spread(StartKind start, const Priors& priors) {
  if (start == StartKind::warm) return priors.start_spread_warm;
  return start == StartKind::cold ? priors.start_spread_cold : priors.start_spread_unknown;
}

// The time of a start is taken to be lognormal.
ForecastPart init_part(const LapProfile& profile, double spread) {
  const double factor = std::exp(kZ95 * spread);
  return {PartKind::init, {profile.init / factor, profile.init, profile.init * factor}};
}

// A training that ends within the warm-up has only a part of it.
ForecastPart warm_up_part(const LapProfile& profile, double laps, double spread) {
  Seconds excess = profile.warm_up_excess;
  const double warm_up = static_cast<double>(profile.steady.warm_up_laps);
  if (laps > 0 && laps < warm_up) {
    excess = Seconds{0};
    const auto whole = std::min(profile.laps.size(), static_cast<std::size_t>(laps));
    for (std::size_t i = 0; i < whole; ++i) excess += profile.laps[i] - profile.steady.mean.mid;
  }
  const Seconds half = kZ95 * spread * std::chrono::abs(excess);
  return {PartKind::warm_up, {excess - half, excess, excess + half}};
}

ForecastPart laps_part(const LapProfile& profile, double laps) {
  return {PartKind::laps, scaled(profile.steady.mean, laps)};
}

Result<ForecastPart> validation_part(const LapProfile& profile, const TrainingPlan& plan,
                                     const Priors& priors) {
  ForecastPart part{PartKind::validation};
  const auto each = cost_of_validation(profile, plan, priors);
  if (!each) return tl::unexpected(each.error());
  if (!*each) return part;
  const Interval<double> count = validations_of(profile, plan);
  part.time = cost_of_all(**each, count.mid);
  part.time.low =
      std::max(Seconds{0}, part.time.low - (*each)->later.mid * (count.mid - count.low));
  part.time.high += (*each)->later.mid * (count.high - count.mid);
  part.provenance = (*each)->provenance;
  return part;
}

ForecastPart overhead_part(const LapProfile& profile, const TrainingPlan& plan,
                           const Priors& priors) {
  return {PartKind::epoch_overhead, scaled(cost_of_boundary(profile, priors), boundaries_of(plan)),
          profile.epoch_overhead ? Provenance::measured : Provenance::predicted};
}

ForecastPart checkpoint_part(const LapProfile& profile, const TrainingPlan& plan) {
  ForecastPart part{PartKind::checkpoints};
  if (!profile.checkpoint) return part;
  part.time = scaled(*profile.checkpoint, epochs_of(plan) * profile.checkpoints_per_epoch);
  return part;
}

ForecastPart teardown_part(const LapProfile& profile) {
  return {PartKind::tear_down, profile.teardown, profile.teardown_provenance};
}

Result<std::vector<ForecastPart>> parts_of(const LapProfile& profile, const TrainingPlan& plan,
                                           const Priors& priors) {
  const double laps = laps_of(plan);
  if (laps <= 0) return because("how many laps the training has is not known");
  const double spread = start_spread(profile.start, priors);
  auto validation = validation_part(profile, plan, priors);
  if (!validation) return tl::unexpected(validation.error());
  return std::vector<ForecastPart>{init_part(profile, spread),
                                   warm_up_part(profile, laps, spread),
                                   laps_part(profile, laps),
                                   *std::move(validation),
                                   overhead_part(profile, plan, priors),
                                   checkpoint_part(profile, plan),
                                   teardown_part(profile)};
}

/// Holds sums over parts: of their mids, and of the squares of the distances from mid to bound.
struct PartSums {
  double total = 0;
  double start = 0;  // init and warm-up
  double below_squared = 0;
  double above_squared = 0;
};

PartSums add_up(const std::vector<ForecastPart>& parts) {
  PartSums sums;
  for (const ForecastPart& part : parts) {
    sums.total += part.time.mid.count();
    if (facts_of(part.kind).error == PartError::start) {
      sums.start += std::max(0.0, part.time.mid.count());
    }
    sums.below_squared += std::pow((part.time.mid - part.time.low).count(), 2);
    sums.above_squared += std::pow((part.time.high - part.time.mid).count(), 2);
  }
  return sums;
}

// Adds independent errors in quadrature, on the logarithm so that the total stays positive: those
// of the parts, and the spread between runs of everything but the start, whose parts include it.
Interval<Seconds> total_interval(const PartSums& sums, double spread) {
  constexpr double kMostBelow = 0.95;  // of the total; beyond it the logarithm runs away
  const double below = std::min(kMostBelow, std::sqrt(sums.below_squared) / sums.total);
  const double above = std::sqrt(sums.above_squared) / sums.total;
  const double between = kZ95 * spread * std::max(0.0, 1 - sums.start / sums.total);
  const Seconds mid{sums.total};
  return {mid * std::exp(-std::hypot(std::log1p(-below), between)), mid,
          mid * std::exp(std::hypot(std::log1p(above), between))};
}

}  // namespace

Interval<double> validations_of(const LapProfile& profile, const TrainingPlan& plan) {
  const double epochs = epochs_of(plan);
  if (epochs <= 0) return Interval<double>::exactly(1);
  const double whole = plan.epochs > 0 ? epochs : std::floor(epochs);
  return validations_in(schedule_of(profile, plan), whole);
}

Interval<Seconds> cost_of_all(const ValidationCost& cost, double count) {
  if (count <= 0) return {};
  const double rest = std::max(0.0, count - 1);
  if (cost.last_alone) return scaled(cost.later, rest) + scaled(*cost.last_alone, count - rest);
  return scaled(cost.first, count - rest) + scaled(cost.later, rest);
}

double boundaries_of(const TrainingPlan& plan) {
  return std::max(0.0, std::ceil(epochs_of(plan)) - 1);
}

Result<std::optional<ValidationCost>> cost_of_validation(const LapProfile& profile,
                                                         const TrainingPlan& plan,
                                                         const Priors& priors) {
  if (plan.validation_samples <= 0) return std::nullopt;
  const auto cost = profile.validation
                        ? profile.validation
                        : forward_share_cost(profile.steady, plan.validation_samples, priors);
  if (!cost) {
    return because(
        "what a validation costs is not known: none was seen and laps report no samples");
  }
  return for_samples(*cost, plan.validation_samples);
}

Interval<Seconds> cost_of_boundary(const LapProfile& profile, const Priors& priors) {
  if (profile.epoch_overhead) return *profile.epoch_overhead;
  const Seconds lap = profile.steady.mean.mid;
  return {lap * priors.boundary_laps.low, lap * priors.boundary_laps.mid,
          lap * priors.boundary_laps.high};
}

Result<Forecast> own_forecast(const LapProfile& profile, const TrainingPlan& plan,
                              const Priors& priors) {
  auto parts = parts_of(profile, plan, priors);
  if (!parts) return tl::unexpected(parts.error());
  const PartSums sums = add_up(*parts);
  if (!(sums.total > 0)) return because("the laps take no time");
  Forecast result;
  result.total = total_interval(sums, priors.spread_between_runs);
  const double start_share = std::min(1.0, sums.start / sums.total);
  result.spread_between_runs = std::hypot(priors.spread_between_runs * (1 - start_share),
                                          start_spread(profile.start, priors) * start_share);
  result.parts = *std::move(parts);
  return result;
}

}  // namespace lapcast

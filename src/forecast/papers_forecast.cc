#include "forecast/forecast.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "forecast/validation_cost.h"
#include "stats/distributions.h"
#include "stats/intervals.h"
#include "stats/summary.h"

namespace lapcast {
namespace {

constexpr double kUnknownDeviation = 0.10;  // relative sd of a lap where too few were seen
constexpr std::size_t kLastOfMean = 10;     // the mean of iterations 2 to 10
constexpr const char* kTooFewLaps =
    "fewer than two laps were seen; a longer --budget measures more";

/// Returns the relative deviation of single laps without regard to stalls.
double lap_deviation(const LapProfile& profile) {
  const auto first = static_cast<std::size_t>(profile.steady.warm_up_laps);
  if (profile.laps.size() < first + 3) return kUnknownDeviation;
  std::vector<double> laps;
  for (std::size_t i = first; i < profile.laps.size(); ++i) laps.push_back(profile.laps[i].count());
  const double middle = median(laps);
  return middle > 0 ? robust_deviation(laps) / middle : kUnknownDeviation;
}

Interval<Seconds> plus_minus(double seconds, double relative_deviation) {
  const double half = kZ95 * relative_deviation * std::abs(seconds);
  return {Seconds{std::max(0.0, seconds - half)}, Seconds{seconds}, Seconds{seconds + half}};
}

ForecastPart exact_part(PartKind kind, Seconds time) {
  return {kind, Interval<Seconds>::exactly(time)};
}

Forecast sum_of(Method method, std::vector<ForecastPart> parts) {
  QuadratureSum sum;
  for (const ForecastPart& part : parts) sum.add(part.time);
  const bool is_time = sum.mid.count() > 0;
  return {.method = method,
          .total = is_time ? sum.errors().around(sum.mid) : Interval<Seconds>::exactly(sum.mid),
          .parts = std::move(parts)};
}

Result<Forecast> by_epochs(const LapProfile& profile, const TrainingPlan& plan) {
  const double n_ep = epochs_of(plan);
  if (n_ep <= 0) return because("how many epochs the training has is not known; --epochs says it");
  if (profile.epochs.size() < 2)
    return because("fewer than two whole epochs were seen; --probe-epochs 2 measures them");
  const double of_later = std::max(0.0, epoch_method(0, 0, profile.epochs[1].count(), n_ep));
  const double laps = std::max(1.0, laps_per_epoch(plan));
  const double inflation = std::sqrt(static_cast<double>(profile.steady.laps) /
                                     std::max(1.0, profile.steady.effective_laps) / laps);
  return sum_of(Method::epoch,
                {exact_part(PartKind::init, profile.init),
                 exact_part(PartKind::first_epoch, profile.epochs[0]),
                 {PartKind::epochs,
                  plus_minus(of_later, lap_deviation(profile) * std::min(1.0, inflation))}});
}

Result<ForecastPart> all_validations(const LapProfile& profile, const TrainingPlan& plan) {
  const bool has_validation = plan.validation_samples > 0 || profile.validation;
  if (!has_validation) return ForecastPart{PartKind::validation};
  if (!profile.validation) return because("no validation is known; --probe-epochs 2 measures two");
  const ValidationCost cost = for_samples(*profile.validation, plan.validation_samples);
  const double later = std::max(0.0, epochs_of(plan) - 1);
  return ForecastPart{PartKind::validation, cost.first + scaled(cost.later, later),
                      cost.provenance};
}

Result<Forecast> by_iterations(const LapProfile& profile, const TrainingPlan& plan, Method method,
                               double laps) {
  if (profile.laps.size() < 2) return because(kTooFewLaps);
  const IterationTimes second_only{0, 0, profile.laps[1].count()};
  std::vector<ForecastPart> parts{
      exact_part(PartKind::init, profile.init),
      exact_part(PartKind::first_lap, profile.first_lap),
      {PartKind::laps, plus_minus(iteration_method(second_only, laps, 1), lap_deviation(profile))}};
  if (method == Method::iteration_with_validation) {
    auto validation = all_validations(profile, plan);
    if (!validation) return tl::unexpected(validation.error());
    parts.push_back(*std::move(validation));
  }
  return sum_of(method, std::move(parts));
}

Result<Forecast> by_single_number(const LapProfile& profile, double laps, Method method) {
  const std::size_t from = method == Method::first_iteration ? 0 : 1;
  const std::size_t to = method == Method::mean_of_2_to_10 ? kLastOfMean : from + 1;
  if (profile.laps.size() < to) {
    return because(to == kLastOfMean
                       ? "fewer than ten laps were seen; a longer --budget measures more"
                       : kTooFewLaps);
  }
  const double used = static_cast<double>(to - from);
  Seconds sum{0};
  for (const Seconds lap : std::span(profile.laps).subspan(from, to - from)) sum += lap;
  const double deviation = lap_deviation(profile) / std::sqrt(used);
  return sum_of(method, {{PartKind::laps, plus_minus(sum.count() / used * laps, deviation)}});
}

}  // namespace

double epoch_method(double init, double first_epoch, double later_epoch, double n_ep) {
  return init + first_epoch + (n_ep - 1) * later_epoch;
}

double iteration_method(const IterationTimes& times, double n_it, double n_ep) {
  const double first_epoch = times.first + times.second * (n_it - 1) + times.first_validation;
  const double other_epoch = times.second * n_it + times.later_validation;
  return times.init + first_epoch + (n_ep - 1) * other_epoch;
}

Result<Forecast> papers_forecast(const LapProfile& profile, const TrainingPlan& plan,
                                 Method method) {
  if (method == Method::epoch) return by_epochs(profile, plan);
  const double laps = laps_of(plan);
  if (laps <= 0) return because("how many laps the training has is not known");
  return method == Method::iteration || method == Method::iteration_with_validation
             ? by_iterations(profile, plan, method, laps)
             : by_single_number(profile, laps, method);
}

}  // namespace lapcast

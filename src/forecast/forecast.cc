#include "forecast/forecast.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "core/units.h"
#include "forecast/validation_cost.h"
#include "stats/distributions.h"
#include "stats/intervals.h"

namespace lapcast {
namespace {

double start_spread(StartKind start) {
  if (start == StartKind::warm) return kPriors.start_spread_warm;
  return start == StartKind::cold ? kPriors.start_spread_cold : kPriors.start_spread_unknown;
}

/// Returns the time of the next start, which is taken to be lognormal.
Interval<Seconds> init_time(const LapProfile& profile) {
  const double factor = std::exp(kZ95 * start_spread(profile.start));
  return profile.next_init.value_or(
      Interval<Seconds>{profile.init / factor, profile.init, profile.init * factor});
}

/// Returns the relative standard deviation of the next start.
double spread_of_next_start(const LapProfile& profile) {
  if (!profile.next_init || !(profile.next_init->low.count() > 0))
    return start_spread(profile.start);
  return std::log(profile.next_init->high / profile.next_init->low) / 2 / kZ95;
}

/// Returns the extra time of the warm-up; a training that ends within it has only a part of it.
Interval<Seconds> warm_up_time(const LapProfile& profile, double laps, double spread) {
  Seconds excess = profile.warm_up_excess;
  if (laps < static_cast<double>(profile.steady.warm_up_laps)) {
    excess = Seconds{0};
    const auto whole = std::min(profile.laps.size(), static_cast<std::size_t>(laps));
    for (std::size_t i = 0; i < whole; ++i) excess += profile.laps[i] - profile.steady.mean.mid;
  } else if (profile.next_warm_up) {
    return *profile.next_warm_up;
  }
  const Seconds half = kZ95 * spread * std::chrono::abs(excess);
  return {excess - half, excess, excess + half};
}

/// Returns the provenance of a 0 that counts events after epochs or many laps.
Provenance provenance_of_none(const LapProfile& profile) {
  const bool had_its_chance = !profile.epochs.empty() || profile.real_total.count() > 0;
  return had_its_chance ? Provenance::measured : Provenance::not_seen;
}

Result<ForecastPart> validation_part(const LapProfile& profile, const TrainingPlan& plan) {
  ForecastPart part{PartKind::validation, {}, provenance_of_none(profile)};
  const auto each = cost_of_validation(profile, plan);
  if (!each) return tl::unexpected(each.error());
  if (!*each) return part;
  const ValidationCost& cost = **each;
  const Interval<double> count = validations_of(profile, plan);
  part.time = cost_of_all_validations(cost, count.mid);
  part.time.low = std::max(Seconds{0}, part.time.low - cost.later.mid * (count.mid - count.low));
  part.time.high += cost.later.mid * (count.high - count.mid);
  part.provenance = cost.provenance;
  return part;
}

Result<std::vector<ForecastPart>> parts_of(const LapProfile& profile, const TrainingPlan& plan) {
  const double laps = laps_of(plan);
  if (laps <= 0) return because("how many laps the training has is not known");
  auto validation = validation_part(profile, plan);
  if (!validation) return tl::unexpected(validation.error());
  const double spread = start_spread(profile.start);
  const double saves = checkpoints_of(profile, plan);
  std::vector<ForecastPart> parts{
      {PartKind::init, init_time(profile)},
      {PartKind::warm_up, warm_up_time(profile, laps, spread)},
      {PartKind::laps, scaled(profile.steady.mean, laps)},
      *std::move(validation),
      {PartKind::epoch_overhead, scaled(cost_of_boundary(profile), boundaries_of(plan)),
       profile.epoch_overhead ? Provenance::measured : Provenance::predicted},
      {PartKind::checkpoints, scaled(profile.checkpoint.value_or(Interval<Seconds>{}), saves),
       profile.checkpoint ? Provenance::measured : provenance_of_none(profile)},
      {PartKind::tear_down, profile.teardown, profile.teardown_provenance}};
  for (ForecastPart& part : parts)
    if (part.time.mid >= Seconds{0}) part.time.low = std::max(Seconds{0}, part.time.low);
  return parts;
}

/// Adds independent errors: those of the parts, and the spread between runs of everything but the
/// start, whose parts already include it.
Interval<Seconds> total_interval(const QuadratureSum& sum, double spread, double start_share) {
  const double between = kZ95 * spread * (1 - start_share);
  return sum.errors().add(between, between).around(sum.mid);
}

/// Says why the steady laps took no time.
std::string why_no_rate(const LapProfile& profile) {
  const std::size_t laps = profile.laps.size();
  if (profile.steady.laps == 1)
    return laps == 1 ? "1 lap known, and it took no time: a longer probe shows more"
                     : fmt::format(
                           "1 lap known, and it took no time; of {} others the end is not "
                           "known: a longer probe shows more",
                           laps - 1);
  if (profile.real_total.count() > 0 && profile.teardown.mid > Seconds{1})
    return fmt::format(
        "its {} laps took no time and ended {} before the program: it trained "
        "without laps",
        laps, format_duration(profile.teardown.mid));
  return "its laps took no time by the clock that they were timed with, so that there is no rate: "
         "time them with a finer clock, or make a lap of more iterations";
}

/// Forecasts by Method::lapcast.
Result<Forecast> own_forecast(const LapProfile& profile, const TrainingPlan& plan, double spread) {
  if (!(profile.steady.mean.mid.count() > 0)) return because(why_no_rate(profile));
  auto parts = parts_of(profile, plan);
  if (!parts) return tl::unexpected(parts.error());
  QuadratureSum sum;
  double start = 0;
  for (const ForecastPart& part : *parts) {
    sum.add(part.time);
    if (facts_of(part.kind).error == PartError::start)
      start += std::max(0.0, part.time.mid.count());
  }
  if (!(sum.mid.count() > 0)) return because("the laps take no time");
  const double start_share = std::min(1.0, start / sum.mid.count());
  const double in_warm_up =
      std::min(laps_of(plan), static_cast<double>(profile.steady.warm_up_laps));
  return Forecast{.total = total_interval(sum, spread, start_share),
                  .spread_between_runs = std::hypot(spread * (1 - start_share),
                                                    spread_of_next_start(profile) * start_share),
                  .parts = *std::move(parts),
                  .steady_in_warm_up = profile.steady.mean.mid * in_warm_up};
}

}  // namespace

std::optional<Reason> why_too_early(const LapProfile& profile) {
  constexpr std::int64_t kFewest = 3;
  if (profile.steady.laps >= kFewest) return std::nullopt;
  return Reason{
      fmt::format("{} of the {} steady laps that a forecast needs", profile.steady.laps, kFewest)};
}

Result<std::optional<ValidationCost>> cost_of_validation(const LapProfile& profile,
                                                         const TrainingPlan& plan) {
  const bool was_seen = profile.validation && profile.validation->observed > 0;
  if (plan.validation_samples <= 0 && !was_seen) {
    const double laps = laps_per_epoch(plan);
    const ValidationSchedule schedule = schedule_of(profile, plan);
    const bool is_due_later = schedule.first > static_cast<double>(profile.epochs.size());
    if (!schedule.observed || !is_due_later || laps <= 0) return std::nullopt;
    return announced_cost(profile.steady.mean.mid * laps);
  }
  const auto cost = profile.validation
                        ? profile.validation
                        : forward_share_cost(profile.steady, plan.validation_samples);
  if (!cost) {
    return because(
        "what a validation costs is not known: none was seen and laps report no samples");
  }
  return for_samples(*cost, plan.validation_samples);
}

Interval<Seconds> cost_of_all_validations(const ValidationCost& cost, double count) {
  if (count <= 0) return {};
  const double rest = std::max(0.0, count - 1);
  if (cost.last_alone) return scaled(cost.later, rest) + scaled(*cost.last_alone, count - rest);
  return scaled(cost.first, count - rest) + scaled(cost.later, rest);
}

Interval<Seconds> cost_of_boundary(const LapProfile& profile) {
  return profile.epoch_overhead.value_or(around(profile.steady.mean.mid, kPriors.boundary_laps));
}

void QuadratureSum::add(const Interval<Seconds>& time) {
  mid += time.mid;
  below_squared += std::pow((time.mid - time.low).count(), 2);
  above_squared += std::pow((time.high - time.mid).count(), 2);
}

LogErrors QuadratureSum::errors() const {
  return LogErrors().add_distances(mid.count(), std::sqrt(below_squared), std::sqrt(above_squared));
}

std::optional<Method> method_named(std::string_view name) {
  for (const Method method : kAllMethods)
    if (to_string(method) == name) return method;
  return std::nullopt;
}

std::string_view to_string(Method method) {
  constexpr std::string_view kNames[] = {
      "lapcast",          "epoch",    "iteration-with-validation", "iteration", "first-iteration",
      "second-iteration", "mean-2-10"};
  return kNames[static_cast<std::size_t>(method)];
}

Result<Forecast> forecast(const LapProfile& profile, const TrainingPlan& plan, Method method,
                          double spread_between_runs) {
  if (profile.laps.empty()) return because("no laps");
  return method == Method::lapcast ? own_forecast(profile, plan, spread_between_runs)
                                   : papers_forecast(profile, plan, method);
}

const ForecastPart& part_of(const Forecast& forecast, PartKind kind) {
  return *std::ranges::find(forecast.parts, kind, &ForecastPart::kind);
}

ForecastPart& part_of(Forecast& forecast, PartKind kind) {
  return *std::ranges::find(forecast.parts, kind, &ForecastPart::kind);
}

Seconds warm_up_with_laps(const Forecast& forecast, double log_factor) {
  const Seconds excess = part_of(forecast, PartKind::warm_up).time.mid;
  const Seconds moved = excess - forecast.steady_in_warm_up * std::expm1(log_factor);
  return excess.count() < 0 ? std::min(Seconds{0}, moved) : std::max(Seconds{0}, moved);
}

Seconds total_with_laps(const Forecast& forecast, double log_factor) {
  if (log_factor == 0) return forecast.total.mid;
  const Seconds laps = part_of(forecast, PartKind::laps).time.mid;
  const Seconds warm_up = part_of(forecast, PartKind::warm_up).time.mid;
  const Seconds total = forecast.total.mid + laps * std::expm1(log_factor) +
                        warm_up_with_laps(forecast, log_factor) - warm_up;
  return total.count() > 0 ? total : forecast.total.mid;
}

}  // namespace lapcast

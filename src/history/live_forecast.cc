#include "history/live_forecast.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "forecast/forecast.h"
#include "forecast/lap_observations.h"
#include "forecast/lap_profiler.h"
#include "forecast/paused_time.h"
#include "forecast/stopping_rule.h"
#include "price/quote.h"
#include "stats/distributions.h"
#include "stats/intervals.h"

namespace lapcast {
namespace {

/// Counts what was done of a plan until the last event.
struct Done {
  double laps = 0;  // a partial batch by its samples
  double validations = 0;
  double boundaries = 0;
  double checkpoints = 0;
  Seconds at{0};  // start of the process to the last event
};

double laps_done(const LapLog& log, const TrainingPlan& plan) {
  const auto count = static_cast<double>(log.laps.size());
  if (plan.steps > 0 || plan.batch_size <= 0 || plan.training_samples <= 0) return count;
  double samples = 0;
  for (const Lap& lap : log.laps) samples += lap.samples;
  return samples > 0 ? samples / plan.batch_size : count;
}

/// Returns the time from the start of the process to the last event.
Seconds observed_time(const LapLog& log, const RunProgress& progress) {
  return progress.before_log + from_ns(log.last_ns);
}

Done done_of(const LapLog& log, const TrainingPlan& plan, const RunProgress& progress) {
  // Validations of less than half the samples were requested by lapcast.
  const auto validations = std::ranges::count_if(log.validations, [&](const auto& validation) {
    return 2 * validation.samples >= plan.validation_samples;
  });
  return {.laps = laps_done(log, plan),
          .validations = static_cast<double>(validations),
          .boundaries = std::max(0.0, static_cast<double>(log.epochs.size()) - 1),
          .checkpoints = static_cast<double>(checkpoints_of(log).size()),
          .at = observed_time(log, progress)};
}

/// Returns the time of the laps that are left, with the error of the mean and the scatter of those
/// laps themselves: with h the half-width of a mean of n laps and L left, the scatter of their sum
/// is h sqrt(n L).
Interval<Seconds> laps_left(const SteadyLaps& steady, double left) {
  if (left <= 0) return {};
  const double wider = std::sqrt(1 + static_cast<double>(steady.laps) / left);
  const Interval<Seconds> sum = scaled(steady.mean, left);
  return {std::max(Seconds{0}, sum.mid - (sum.mid - sum.low) * wider), sum.mid,
          sum.mid + (sum.high - sum.mid) * wider};
}

Interval<Seconds> validations_left(std::optional<ValidationCost> cost, double left, double done) {
  if (!cost) return {};
  if (done > 0) cost->first = cost->later;
  return cost_of_all_validations(*cost, left);
}

/// Returns the sum of independent times: mids as they are, the distances from mid to bound in
/// quadrature with the spread between runs; the lower bound is at least 0.
Interval<Seconds> in_quadrature(std::initializer_list<Interval<Seconds>> times) {
  QuadratureSum sum;
  for (const Interval<Seconds>& time : times) sum.add(time);
  const double between = std::pow(kZ95 * kPriors.spread_between_runs * sum.mid.count(), 2);
  return {std::max(Seconds{0}, sum.mid - Seconds{std::sqrt(sum.below_squared + between)}), sum.mid,
          sum.mid + Seconds{std::sqrt(sum.above_squared + between)}};
}

Interval<Seconds> not_before(Seconds now, const Interval<Seconds>& end) {
  return {std::max(now, end.low), std::max(now, end.mid), std::max(now, end.high)};
}

constexpr double kNextMoment = 1.05;  // times the elapsed time of the one before

bool are_enough(const SteadyLaps& steady) {
  const StoppingRule rule;
  const bool are_seen = steady.observations == 0 || steady.observations >= kFewestObservations;
  return are_seen && steady.laps >= rule.min_laps &&
         steady.mean.mid * static_cast<double>(steady.laps) >= rule.min_steady;
}

}  // namespace

Result<Interval<Seconds>> forecast_under_way(const LapProfile& profile, const TrainingPlan& plan,
                                             const LapLog& log, const RunProgress& progress) {
  if (laps_of(plan) <= 0) return because("how many laps the training has is not known");
  const auto validation = cost_of_validation(profile, plan);
  if (!validation) return tl::unexpected(validation.error());
  const Done done = done_of(log, plan, progress);
  const auto left = [](double all, double part) { return std::max(0.0, all - part); };
  const double validations = left(validations_of(profile, plan).mid, done.validations);
  const double saves = checkpoints_of(profile, plan);
  const Interval<Seconds> rest = in_quadrature(
      {laps_left(profile.steady, left(laps_of(plan), done.laps)),
       validations_left(*validation, validations, done.validations),
       scaled(cost_of_boundary(profile), left(boundaries_of(plan), done.boundaries)),
       scaled(profile.checkpoint.value_or(Interval<Seconds>{}), left(saves, done.checkpoints)),
       profile.teardown});
  return not_before(progress.elapsed,
                    {done.at + rest.low, done.at + rest.mid, done.at + rest.high});
}

RestOfRun rest_of_run(Seconds elapsed, const std::optional<Interval<Seconds>>& total,
                      const std::optional<Offer>& price) {
  RestOfRun rest;
  const auto after_now = [&](Seconds time) { return std::max(Seconds{0}, time - elapsed); };
  if (total) rest.left = {after_now(total->low), after_now(total->mid), after_now(total->high)};
  const auto so_far =
      price ? quote(*price, Interval<Seconds>::exactly(elapsed)) : because("no price is known");
  if (!so_far) return rest;
  rest.cost_so_far = so_far->total.mid;
  if (!total) return rest;
  if (const auto whole = quote(*price, *total)) rest.cost = whole->total;
  return rest;
}

void LiveForecast::update(const LapLog& log, const RunProgress& progress) {
  has_enough_laps_ = false;
  total_ = forecast(log, progress);
  if (total_) keep(progress.elapsed);
}

Result<Interval<Seconds>> LiveForecast::forecast(const LapLog& log, const RunProgress& progress) {
  if (log.laps.empty()) return because("no laps yet");
  RunFacts facts = facts_before_start(context_);
  facts.before_log = progress.before_log;
  facts.wall = progress.elapsed;
  const auto profile = profile_of(log, facts);
  if (!profile) return tl::unexpected(profile.error());
  const auto plan = plan_of(context_.plan, *profile);
  if (!plan) return tl::unexpected(plan.error());
  planned_epochs_ = plan->epochs;  // its epochs have the numbers of the whole training
  has_enough_laps_ = are_enough(profile->steady);
  if (const auto early = why_too_early(*profile)) return tl::unexpected(*early);
  const auto total = forecast_under_way(*profile, *plan, log, progress);
  if (!total || !past_errors_) return total;
  const Seconds observed = observed_time(log, progress);
  const PastErrors errors = past_errors_(*profile, *plan, total->mid - observed);
  const Interval<Seconds> whole =
      errors.teardown ? with_teardown(*total, profile->teardown, *errors.teardown) : *total;
  return not_before(progress.elapsed, with_past_errors(whole, observed, errors));
}

void LiveForecast::keep(Seconds elapsed) {
  if (!history_.empty() && elapsed < history_.back().elapsed * kNextMoment) return;
  history_.push_back({elapsed, *total_});
}

std::vector<Hindsight> hindsight(std::span<const ForecastMoment> forecasts, Seconds real) {
  std::vector<Hindsight> result;
  if (real.count() <= 0) return result;
  if (!forecasts.empty())
    result.push_back({.share = forecasts.front().elapsed / real,
                      .is_first = true,
                      .forecast = forecasts.front()});
  for (const double share : {0.01, 0.05, 0.10, 0.25, 0.50}) {
    Hindsight& row = result.emplace_back(Hindsight{.share = share});
    for (const ForecastMoment& moment : forecasts)
      if (moment.elapsed <= real * share) row.forecast = moment;
  }
  for (Hindsight& row : result) {
    if (!row.forecast) continue;
    row.error = row.forecast->total.mid / real - 1;
    row.inside = row.forecast->total.contains(real);
  }
  return result;
}

}  // namespace lapcast

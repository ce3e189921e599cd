#include "forecast/run_under_way.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "forecast/few_values.h"
#include "forecast/own_forecast.h"
#include "forecast/validation_cost.h"
#include "stats/distributions.h"

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

/// Counts the validations of at least half the samples; shorter ones were requested by lapcast.
double validations_done(const LapLog& log, std::int64_t samples) {
  return static_cast<double>(std::count_if(
      log.validations.begin(), log.validations.end(),
      [&](const ValidationSpan& validation) { return 2 * validation.samples >= samples; }));
}

Done done_of(const LapLog& log, const TrainingPlan& plan, const RunProgress& progress) {
  Done done;
  done.laps = laps_done(log, plan);
  done.validations = validations_done(log, plan.validation_samples);
  done.boundaries = std::max(0.0, static_cast<double>(log.epochs.size()) - 1);
  done.checkpoints = static_cast<double>(
      std::count_if(log.stages.begin(), log.stages.end(),
                    [](const StageSpan& stage) { return stage.name == "checkpoint"; }));
  done.at = progress.before_log + from_ns(log.last_ns);
  return done;
}

/// Returns the plan of this run alone: a program that resumed goes on counting epochs to the
/// plan's.
TrainingPlan of_this_run(TrainingPlan plan, const LapLog& log) {
  const std::int64_t first = log.epochs.empty() ? 1 : log.epochs.front().epoch;
  if (first > 1 && first <= plan.epochs) plan.epochs -= first - 1;
  return plan;
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
  return cost_of_all(*cost, left);
}

/// Adds independent parts: mids as they are, the distances from mid to bound in quadrature; the
/// lower bound is at least 0.
Interval<Seconds> in_quadrature(std::initializer_list<Interval<Seconds>> parts, double spread) {
  Seconds mid{0};
  double below = 0;
  double above = 0;
  for (const Interval<Seconds>& part : parts) {
    mid += part.mid;
    below += std::pow((part.mid - part.low).count(), 2);
    above += std::pow((part.high - part.mid).count(), 2);
  }
  const double between = std::pow(kZ95 * spread * mid.count(), 2);
  return {std::max(Seconds{0}, mid - Seconds{std::sqrt(below + between)}), mid,
          mid + Seconds{std::sqrt(above + between)}};
}

}  // namespace

Result<Interval<Seconds>> forecast_under_way(const LapProfile& profile, const TrainingPlan& whole,
                                             const LapLog& log, const RunProgress& progress,
                                             const Priors& priors) {
  const TrainingPlan plan = of_this_run(whole, log);
  if (laps_of(plan) <= 0) return because("how many laps the training has is not known");
  const auto validation = cost_of_validation(profile, plan, priors);
  if (!validation) return tl::unexpected(validation.error());
  const Done done = done_of(log, plan, progress);
  const auto left = [](double all, double part) { return std::max(0.0, all - part); };
  const double validations = left(validations_of(profile, plan).mid, done.validations);
  const double saves = epochs_of(plan) * profile.checkpoints_per_epoch;
  const Interval<Seconds> rest = in_quadrature(
      {laps_left(profile.steady, left(laps_of(plan), done.laps)),
       validations_left(*validation, validations, done.validations),
       scaled(cost_of_boundary(profile, priors), left(boundaries_of(plan), done.boundaries)),
       profile.checkpoint ? scaled(*profile.checkpoint, left(saves, done.checkpoints))
                          : Interval<Seconds>{},
       profile.teardown},
      priors.spread_between_runs);
  const auto at_least_now = [&](Seconds time) {
    return std::max(done.at + time, progress.elapsed);
  };
  return Interval<Seconds>{at_least_now(rest.low), at_least_now(rest.mid), at_least_now(rest.high)};
}

}  // namespace lapcast

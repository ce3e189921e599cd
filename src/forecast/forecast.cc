#include "forecast/forecast.h"

#include <algorithm>
#include <cmath>

#include "forecast/own_forecast.h"
#include "forecast/papers_forecast.h"

namespace lapcast {
namespace {

/// Returns the epochs after which the schedule repeats.
double cycle_of(const ValidationSchedule& schedule) {
  return schedule.is_quiet() ? 1 : std::max(1.0, schedule.every);
}

/// Returns the first epoch from `least` on after which a validation comes, so that whole cycles
/// follow; the first validation itself is part of the fixed time.
double first_regular_epoch(const ValidationSchedule& schedule, double least) {
  if (schedule.is_quiet()) {
    return std::max(least, static_cast<double>(schedule.quiet_epochs + 1));
  }
  if (schedule.every < 1) return least + 1;
  const double cycles = std::ceil(std::max(0.0, least - schedule.first) / schedule.every);
  return schedule.first + cycles * schedule.every;
}

}  // namespace

std::string_view to_string(Method method) {
  switch (method) {
    case Method::lapcast:
      return "lapcast";
    case Method::epoch:
      return "epoch";
    case Method::iteration_with_validation:
      return "iteration-with-validation";
    case Method::iteration:
      return "iteration";
    case Method::first_iteration:
      return "first-iteration";
    case Method::second_iteration:
      return "second-iteration";
    case Method::mean_of_2_to_10:
      return "mean-of-2-to-10";
  }
  return "?";
}

double laps_per_epoch(const TrainingPlan& plan) {
  const double iterations =
      static_cast<double>(std::max<std::int64_t>(0, plan.iterations_per_epoch));
  if (plan.training_samples <= 0 || plan.batch_size <= 0) return iterations;
  const double by_samples = static_cast<double>(plan.training_samples) / plan.batch_size;
  // Fewer iterations than samples fill: the program drops the partial last batch.
  return iterations > 0 ? std::min(iterations, by_samples) : by_samples;
}

double laps_of(const TrainingPlan& plan) {
  if (plan.steps > 0) return static_cast<double>(plan.steps);
  return static_cast<double>(std::max<std::int64_t>(0, plan.epochs)) * laps_per_epoch(plan);
}

double epochs_of(const TrainingPlan& plan) {
  if (plan.epochs > 0) return static_cast<double>(plan.epochs);
  const double laps = laps_per_epoch(plan);
  return laps > 0 && plan.steps > 0 ? static_cast<double>(plan.steps) / laps : 0;
}

ValidationSchedule schedule_of(const LapProfile& profile, const TrainingPlan& plan) {
  return declared(profile.validations, plan.validate_every, plan.validate_from);
}

Result<Forecast> forecast(const LapProfile& profile, const TrainingPlan& plan, Method method,
                          const Priors& priors) {
  if (profile.laps.empty()) return because("no laps");
  if (method == Method::lapcast && !(profile.steady.mean.mid.count() > 0))
    return because(
        "its laps took no time by the clock that they were timed with, so that there is "
        "no rate: time them with a finer clock, or make a lap of more iterations");
  return method == Method::lapcast ? own_forecast(profile, plan, priors)
                                   : papers_forecast(profile, plan, method);
}

Result<EpochLine> epoch_line(const LapProfile& profile, const TrainingPlan& plan,
                             const Priors& priors) {
  const double laps = laps_per_epoch(plan);
  if (laps <= 0) return because("how many laps an epoch has is not known");
  TrainingPlan trial = plan;
  trial.steps = 0;
  const double warm_up = static_cast<double>(profile.steady.warm_up_laps);
  const ValidationSchedule schedule = schedule_of(profile, plan);
  const auto first = first_regular_epoch(schedule, 1 + std::ceil(warm_up / laps));
  trial.epochs = static_cast<std::int64_t>(first);
  const auto shorter = forecast(profile, trial, Method::lapcast, priors);
  if (!shorter) return tl::unexpected(shorter.error());
  const double epochs = std::ceil(first / cycle_of(schedule)) * cycle_of(schedule);
  trial.epochs += static_cast<std::int64_t>(epochs);
  const auto longer = forecast(profile, trial, Method::lapcast, priors);
  if (!longer) return tl::unexpected(longer.error());

  EpochLine line;
  line.per_epoch_s = (longer->total.mid - shorter->total.mid).count() / epochs;
  line.fixed_s = shorter->total.mid.count() - line.per_epoch_s * first;
  return line;
}

}  // namespace lapcast

#include "forecast/forecast.h"

#include <algorithm>

#include "forecast/own_forecast.h"
#include "forecast/papers_forecast.h"

namespace lapcast {

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

}  // namespace lapcast

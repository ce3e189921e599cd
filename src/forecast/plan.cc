#include "forecast/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/units.h"

namespace lapcast {
namespace {

constexpr std::int64_t kMostOfAPlan = 1'000'000'000'000'000;

std::int64_t first_known(std::int64_t a, std::int64_t b, std::int64_t c = 0) {
  if (a > 0) return a;
  return b > 0 ? b : c;
}

/// Returns the iterations of one epoch. A program that drops the partial last batch, as observed or
/// reported, also drops it with another number of samples.
std::int64_t iterations(const TrainingPlan& plan, const LapProfile& profile) {
  const std::int64_t reported =
      first_known(profile.reported.iterations_per_epoch, profile.laps_per_epoch);
  const std::int64_t reported_samples =
      first_known(profile.reported.training_samples, profile.samples_per_epoch);
  if (plan.training_samples <= 0 || plan.batch_size <= 0) return reported;
  const double exact = static_cast<double>(plan.training_samples) / plan.batch_size;
  const bool drops_last =
      reported > 0 && reported_samples > 0 &&
      static_cast<double>(reported) < static_cast<double>(reported_samples) / plan.batch_size;
  const double whole = drops_last ? std::floor(exact) : std::ceil(exact);
  return static_cast<std::int64_t>(std::min(whole, 2.0 * kMostOfAPlan));
}

/// Takes an epoch that the program itself ends long before its data do for as long as it said:
/// `if i >= 30: break` over a loader of 47 batches. Samples that the user names are not cut.
void cut_epoch(TrainingPlan& plan, const TrainingPlan& requested, const LapProfile& profile) {
  constexpr double kCut = 0.9;  // of its data; batches of another size leave more
  const auto laps = static_cast<double>(profile.reported.iterations_per_epoch);
  if (requested.training_samples > 0 || laps <= 0 || plan.batch_size <= 0 ||
      laps * plan.batch_size >= kCut * static_cast<double>(plan.training_samples))
    return;
  plan.iterations_per_epoch = profile.reported.iterations_per_epoch;
  plan.training_samples = std::max<std::int64_t>(1, std::llround(laps * plan.batch_size));
}

/// Returns the reason when a number is so large that a table could not show the results.
std::optional<Reason> too_large(const TrainingPlan& plan) {
  const std::pair<const char*, std::int64_t> numbers[] = {
      {"epochs", plan.epochs},
      {"iterations", plan.steps},
      {"iterations of an epoch", plan.iterations_per_epoch},
      {"training samples", plan.training_samples},
      {"validation samples", plan.validation_samples},
      {"epochs between validations", plan.validate_every},
      {"epochs before the first validation", plan.validate_from}};
  for (const auto& [what, number] : numbers)
    if (number > kMostOfAPlan)
      return Reason{fmt::format("a plan of more than 10^15 {} cannot be forecast", what)};
  return std::nullopt;
}

/// Notes in the plan what was made before the run, where that is less than the whole.
void add_done(TrainingPlan& plan, const LapProfile& profile) {
  const std::int64_t done = profile.reported.laps_done;
  const std::int64_t per_epoch =  // of the run's data, which are perhaps not those of the plan
      first_known(profile.reported.iterations_per_epoch, profile.laps_per_epoch);
  const std::int64_t by_laps = per_epoch > 0 ? done / per_epoch : 0;
  const std::int64_t epochs = first_known(profile.epochs_before, by_laps);
  if (plan.steps > 0) {
    const std::int64_t at_most = plan.steps / std::max<std::int64_t>(1, per_epoch);
    const std::int64_t laps = done > 0 || epochs > at_most ? done : epochs * per_epoch;
    if (laps < plan.steps) plan.laps_done = laps;
    return;
  }
  if (epochs >= plan.epochs) return;
  plan.epochs_done = epochs;
  if (epochs == by_laps && per_epoch > 0) plan.laps_done = done % per_epoch;
}

}  // namespace

Result<TrainingPlan> plan_of(const TrainingPlan& requested, const LapProfile& profile) {
  const TrainingPlan& reported = profile.reported;
  TrainingPlan plan;
  if (requested.epochs > 0 || requested.steps > 0) {
    plan.epochs = requested.epochs;
    plan.steps = requested.steps;
  } else if (reported.epochs > 0 || reported.steps > 0) {
    plan.epochs = reported.epochs;
    plan.steps = reported.epochs > 0 ? 0 : reported.steps;
    const std::size_t slash = reported.from.find('/');  // of "epoch/90", not of "len_x_//batch"
    const bool is_printed =
        slash != std::string::npos && reported.from.compare(slash, 2, "//") != 0;
    if (!reported.from.empty())
      plan.from =
          fmt::format("`{}` {} the program", reported.from, is_printed ? "printed by" : "of");
  } else if (profile.length) {
    plan.epochs = profile.length->epochs;
    plan.steps = profile.length->steps;
    plan.from = profile.length->from;
  }
  if (plan.epochs > 0 && plan.steps > 0) return because("both epochs and steps are given");
  if (plan.epochs <= 0 && plan.steps <= 0) {
    return because(
        "how long to train is not known: --epochs N or --steps N says it, also with lapcast show, "
        "which runs nothing again");
  }
  plan.training_samples =
      first_known(requested.training_samples, reported.training_samples, profile.samples_per_epoch);
  plan.batch_size = profile.steady.samples_per_lap > 0 ? profile.steady.samples_per_lap
                                                       : static_cast<double>(reported.batch_size);
  plan.iterations_per_epoch = iterations(plan, profile);
  cut_epoch(plan, requested, profile);
  plan.validation_samples = first_known(requested.validation_samples, reported.validation_samples,
                                        profile.validation ? profile.validation->samples : 0);
  plan.validate_every = requested.validate_every;
  plan.validate_from = requested.validate_from;
  if (plan.epochs > 0 && plan.iterations_per_epoch <= 0) {
    return because(
        "how many laps an epoch has is not known: give the number of training samples, or report "
        "samples and a plan");
  }
  if (const auto reason = too_large(plan)) return tl::unexpected(*reason);
  add_done(plan, profile);
  return plan;
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
  const double done = static_cast<double>(plan.laps_done);
  if (plan.steps > 0) return std::max(0.0, static_cast<double>(plan.steps) - done);
  return std::max(0.0, epochs_of(plan) * laps_per_epoch(plan) - done);
}

double epochs_of(const TrainingPlan& plan) {
  if (plan.epochs > 0)
    return static_cast<double>(std::max<std::int64_t>(0, plan.epochs - plan.epochs_done));
  const double laps = laps_per_epoch(plan);
  return laps > 0 && plan.steps > 0 ? laps_of(plan) / laps : 0;
}

bool is_resumed(const TrainingPlan& plan) {
  return plan.laps_done > 0 || plan.epochs_done > 0;
}

TrainingPlan whole_training(TrainingPlan plan) {
  plan.laps_done = plan.epochs_done = 0;
  return plan;
}

double boundaries_of(const TrainingPlan& plan) {
  return std::max(0.0, std::ceil(epochs_of(plan)) - 1);
}

ValidationSchedule schedule_of(const LapProfile& profile, const TrainingPlan& plan) {
  return with_declared(profile.validations, plan.validate_every, plan.validate_from,
                       profile.validations.in_laps ? plan.laps_done : plan.epochs_done);
}

Interval<double> validations_of(const LapProfile& profile, const TrainingPlan& plan) {
  const ValidationSchedule schedule = schedule_of(profile, plan);
  if (schedule.in_laps) return validations_in(schedule, laps_of(plan));
  const double epochs = epochs_of(plan);
  if (epochs <= 0) return Interval<double>::exactly(1);
  return validations_in(schedule, schedule.every < 1 ? epochs : std::floor(epochs));
}

double checkpoints_of(const LapProfile& profile, const TrainingPlan& plan) {
  const double epochs = epochs_of(plan);
  return epochs > 0 ? epochs * profile.checkpoints_per_epoch
                    : laps_of(plan) * profile.checkpoints_per_lap;
}

}  // namespace lapcast

#include "forecast/epoch_line.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace lapcast {
namespace {

// Epochs after which everything has come once more.
double cycle_of(const ValidationSchedule& schedule) {
  return schedule.is_quiet() ? 1 : std::max(1.0, schedule.every);
}

// The first epoch from `least` on after which a validation comes, so that whole cycles follow; the
// first validation itself is part of what is fixed.
double first_regular_epoch(const ValidationSchedule& schedule, double least) {
  if (schedule.is_quiet()) {
    return std::max(least, static_cast<double>(schedule.quiet_epochs + 1));
  }
  if (schedule.every < 1) return least + 1;
  const double cycles = std::ceil(std::max(0.0, least - schedule.first) / schedule.every);
  return schedule.first + cycles * schedule.every;
}

}  // namespace

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

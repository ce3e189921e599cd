#include "forecast/epoch_line.h"

#include <cmath>

namespace lapcast {

Result<EpochLine> epoch_line(const LapProfile& profile, const TrainingPlan& plan,
                             const Priors& priors) {
  const double laps = laps_per_epoch(plan);
  if (laps <= 0) return because("how many laps an epoch has is not known");
  TrainingPlan trial = plan;
  trial.steps = 0;
  const double warm_up = static_cast<double>(profile.steady.warm_up_laps);
  trial.epochs = 1 + static_cast<std::int64_t>(std::ceil(warm_up / laps));
  if (profile.validations_per_epoch > 0) {  // the first validation is part of what is fixed
    trial.epochs += static_cast<std::int64_t>(std::ceil(1 / profile.validations_per_epoch));
  }
  const auto shorter = forecast(profile, trial, Method::lapcast, priors);
  if (!shorter) return tl::unexpected(shorter.error());
  const double epochs = static_cast<double>(trial.epochs);
  trial.epochs *= 2;
  const auto longer = forecast(profile, trial, Method::lapcast, priors);
  if (!longer) return tl::unexpected(longer.error());

  EpochLine line;
  line.per_epoch_s = (longer->total.mid - shorter->total.mid).count() / epochs;
  line.fixed_s = shorter->total.mid.count() - line.per_epoch_s * epochs;
  return line;
}

}  // namespace lapcast

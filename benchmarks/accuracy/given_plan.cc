#include "accuracy/given_plan.h"
#include "forecast/plan.h"

#include <algorithm>
#include <cmath>

namespace lapcast::accuracy {

TrainingPlan given_plan(const LapLog& log, const LapProfile& profile, double last_weight,
                        double rest) {
  const double laps_to_come = rest / last_weight;
  double samples = laps_to_come * log.laps.back().samples;
  for (const Lap& lap : log.laps) samples += lap.samples;
  const double laps = static_cast<double>(log.laps.size()) + laps_to_come;
  TrainingPlan plan;
  plan.epochs = std::max<std::int64_t>(1, std::llround(laps));
  plan.batch_size = profile.steady.samples_per_lap;
  plan.training_samples = std::llround(samples / static_cast<double>(plan.epochs));
  plan.iterations_per_epoch = 1;
  if (plan.batch_size > 0 && plan.training_samples > 0) {
    plan.iterations_per_epoch = static_cast<std::int64_t>(
        std::ceil(static_cast<double>(plan.training_samples) / plan.batch_size));
  }
  plan.validation_samples = profile.reported.validation_samples;
  return plan;
}

}  // namespace lapcast::accuracy

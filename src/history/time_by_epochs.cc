#include "history/time_by_epochs.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>

#include "forecast/plan.h"
#include "history/past_forecasts.h"

namespace lapcast {

Result<Seconds> time_of(const Assessment& assessment, const TrainingPlan& plan) {
  const LapProfile& profile = *assessment.profile;
  const auto made = forecast(profile, plan, assessment.forecast->method);
  if (!made) return tl::unexpected(made.error());
  const Seconds time = total_with_laps(*made, assessment.log_laps) + assessment.later_end;
  if (!assessment.bias) return time;
  return total_with_bias(time, assessment.observed,
                         assessment.bias->at(training_numbers(profile, plan).log_laps));
}

std::optional<Seconds> time_of_whole(const Assessment& assessment) {
  if (!assessment.forecast || !is_resumed(*assessment.plan)) return std::nullopt;
  const auto time = time_of(assessment, whole_training(*assessment.plan));
  return time ? std::optional(*time) : std::nullopt;
}

TimeByEpochs time_by_epochs(const Assessment& assessment) {
  if (!assessment.forecast || assessment.plan->epochs <= 0) return nullptr;
  const auto whole = [known = std::make_shared<const Assessment>(assessment)](double count) {
    constexpr double kMost = 1e15;
    TrainingPlan plan = *known->plan;
    plan.epochs = static_cast<std::int64_t>(std::min(count, kMost));
    return time_of(*known, plan).value_or(Seconds{INFINITY});
  };
  if (assessment.forecast->method != Method::lapcast)  // linear, and each point reads all laps
    return [first = whole(1), second = whole(2)](double epochs) {
      return first + (std::max(1.0, epochs) - 1) * (second - first);
    };
  return [whole](double epochs) {
    const double least = std::floor(std::max(1.0, epochs));
    const Seconds time = whole(least);
    return epochs > least ? time + (epochs - least) * (whole(least + 1) - time) : time;
  };
}

}  // namespace lapcast

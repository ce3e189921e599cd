#include "forecast/live_forecast.h"

#include "forecast/stopping_rule.h"

namespace lapcast {
namespace {

constexpr double kNextMoment = 1.05;  // times the elapsed time of the one before

RunFacts facts_of(const RunContext& context, const Standing& standing) {
  RunFacts facts;
  facts.start = context.start;
  facts.wall = standing.elapsed;
  facts.before_log = standing.before_log;
  facts.validation_samples = context.plan.validation_samples;
  return facts;
}

bool is_founded_on(const SteadyLaps& steady) {
  const StoppingRule rule;
  return steady.laps >= rule.min_laps &&
         steady.mean.mid * static_cast<double>(steady.laps) >= rule.min_steady;
}

}  // namespace

void LiveForecast::update(const LapLog& log, const Standing& standing) {
  founded_ = false;
  total_ = forecast(log, standing);
  if (total_) keep(standing.elapsed);
}

Result<Interval<Seconds>> LiveForecast::forecast(const LapLog& log, const Standing& standing) {
  if (log.laps.empty()) return because("no laps yet");
  const auto profile = profile_of(log, facts_of(context_, standing));
  if (!profile) return tl::unexpected(profile.error());
  const auto plan = plan_of(context_.plan, *profile);
  if (!plan) return tl::unexpected(plan.error());
  planned_epochs_ = plan->epochs;
  founded_ = is_founded_on(profile->steady);
  return forecast_under_way(*profile, *plan, log, standing);
}

void LiveForecast::keep(Seconds elapsed) {
  if (!history_.empty() && elapsed < history_.back().elapsed * kNextMoment) return;
  history_.push_back({elapsed, *total_});
}

}  // namespace lapcast

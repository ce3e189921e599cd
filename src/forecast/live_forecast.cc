#include "forecast/live_forecast.h"

#include "forecast/stopping_rule.h"

namespace lapcast {
namespace {

constexpr double kNextMoment = 1.05;  // times the elapsed time of the one before

RunFacts facts_of(const RunContext& context, const RunProgress& progress) {
  RunFacts facts;
  facts.start = context.start;
  facts.wall = progress.elapsed;
  facts.before_log = progress.before_log;
  facts.validation_samples = context.plan.validation_samples;
  return facts;
}

bool is_founded_on(const SteadyLaps& steady) {
  const StoppingRule rule;
  return steady.laps >= rule.min_laps &&
         steady.mean.mid * static_cast<double>(steady.laps) >= rule.min_steady;
}

}  // namespace

void LiveForecast::update(const LapLog& log, const RunProgress& progress) {
  founded_ = false;
  total_ = forecast(log, progress);
  if (total_) keep(progress.elapsed);
}

Result<Interval<Seconds>> LiveForecast::forecast(const LapLog& log, const RunProgress& progress) {
  if (log.laps.empty()) return because("no laps yet");
  const auto profile = profile_of(log, facts_of(context_, progress));
  if (!profile) return tl::unexpected(profile.error());
  const auto plan = plan_of(context_.plan, *profile);
  if (!plan) return tl::unexpected(plan.error());
  planned_epochs_ = plan->epochs;
  founded_ = is_founded_on(profile->steady);
  return forecast_under_way(*profile, *plan, log, progress);
}

void LiveForecast::keep(Seconds elapsed) {
  if (!history_.empty() && elapsed < history_.back().elapsed * kNextMoment) return;
  history_.push_back({elapsed, *total_});
}

std::vector<Hindsight> hindsight(std::span<const ForecastMoment> forecasts, Seconds real) {
  std::vector<Hindsight> result;
  if (real.count() <= 0) return result;
  for (const double share : {0.01, 0.05, 0.10, 0.25, 0.50}) {
    Hindsight& row = result.emplace_back(Hindsight{share, std::nullopt, 0, false});
    for (const ForecastMoment& moment : forecasts)
      if (moment.elapsed <= real * share) row.forecast = moment;
    if (!row.forecast) continue;
    row.error = row.forecast->total.mid / real - 1;
    row.inside = row.forecast->total.contains(real);
  }
  return result;
}

}  // namespace lapcast

#include "history/known_time.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "forecast/plan.h"
#include "history/compile_starts.h"
#include "history/time_by_epochs.h"
#include "run/attempts.h"
#include "stats/intervals.h"

namespace lapcast {
namespace {

/// Returns the forecast of what this run did, from its own start and laps alone; nothing where the
/// next run starts otherwise.
std::optional<Forecast> forecast_of_itself(const LapProfile& profile, const TrainingPlan& plan) {
  auto made = forecast(profile, plan);
  if (!made) return std::nullopt;
  if (!profile.next_init && !profile.next_warm_up) return *std::move(made);
  LapProfile own = profile;
  own.next_init.reset();
  own.next_warm_up.reset();
  auto of_itself = forecast(own, plan);
  if (!of_itself || is_worth_saying(made->total.mid, of_itself->total.mid)) return std::nullopt;
  return *std::move(of_itself);
}

/// Adds to the laps of a forecast what the run took beyond it. The parts shrink alike where that is
/// less than nothing.
void add_to_laps(Forecast& forecast, Seconds excess) {
  Interval<Seconds>& laps = part_of(forecast, PartKind::laps).time;
  if (laps.mid + excess >= Seconds{0}) {
    laps = {std::max(Seconds{0}, laps.low + excess), laps.mid + excess, laps.high + excess};
    return;
  }
  Seconds sum{0};
  for (const ForecastPart& part : forecast.parts) sum += part.time.mid;
  for (ForecastPart& part : forecast.parts) part.time = scaled(part.time, (sum + excess) / sum);
}

/// Scales total and cases to another middle.
void move_to(Assessment& assessment, Seconds mid) {
  Interval<Seconds>& total = assessment.forecast->total;
  const double factor = mid / total.mid;
  total = {total.low * factor, mid, total.high * factor};
  if (!assessment.cases) return;
  auto cases = std::make_shared<std::vector<double>>(*assessment.cases);
  for (double& seconds : *cases) seconds *= factor;
  assessment.cases = std::move(cases);
}

/// Makes the forecasts of all plans longer by the same time, so that that of `own` is `took`.
void end_later(Assessment& assessment, const TrainingPlan& own, Seconds took) {
  const auto bias = std::exchange(assessment.bias, nullptr);
  const Seconds unbiased = time_of(assessment, own).value_or(took);
  const double factor =
      bias ? std::exp(bias->at(training_numbers(*assessment.profile, own).log_laps)) : 1;
  assessment.bias = bias;
  const Seconds rest = std::max(Seconds{0}, took - assessment.observed);
  assessment.later_end += took - rest + rest / factor - unbiased;
}

}  // namespace

Assessment with_known_time(Assessment assessment, const Run& run) {
  if (!assessment.forecast || assessment.forecast->method != Method::lapcast ||
      assessment.conditions != Conditions::as_measured || time_of_attempts(run) != run.wall())
    return assessment;
  const auto own = plan_of(run.context.plan, *assessment.profile);
  const auto took = own ? real_time_of(run, *own) : std::nullopt;
  if (!took || !(*took > Seconds{0})) return assessment;
  auto itself = forecast_of_itself(*assessment.profile, *own);
  if (!itself) return assessment;
  Assessment known = assessment;
  end_later(known, *own, *took);
  const bool is_own = *known.plan == *own;
  const auto mid = is_own ? Result<Seconds>(*took) : time_of(known, *known.plan);
  if (!mid || !(*mid > Seconds{0})) return assessment;
  const Seconds more = *mid - known.forecast->total.mid;
  move_to(known, *mid);
  if (!is_own) {
    add_to_laps(*known.forecast, more);
    return known;
  }
  add_to_laps(*itself, *took - itself->total.mid);
  known.forecast->parts = std::move(itself->parts);
  known.forecast->record.clear();
  return known;
}

std::optional<Seconds> known_time(const Run& run, const Assessment& assessment) {
  if (!assessment.forecast || assessment.forecast->method != Method::lapcast) return std::nullopt;
  const auto took = real_time_of(run, *assessment.plan);
  return took == assessment.forecast->total.mid ? took : std::nullopt;
}

Assessment of_this_run(Assessment assessment, const Run& run) {
  const auto took = known_time(run, assessment);
  if (!took) return assessment;
  Forecast& forecast = *assessment.forecast;
  forecast.total = Interval<Seconds>::exactly(*took);
  for (ForecastPart& part : forecast.parts) part.time = Interval<Seconds>::exactly(part.time.mid);
  return assessment;
}

}  // namespace lapcast

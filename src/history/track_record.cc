#include "history/track_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "core/units.h"
#include "forecast/cut_log.h"
#include "forecast/lap_profile.h"
#include "forecast/lap_profiler.h"
#include "run/compile_caches.h"
#include "run/program_folder.h"
#include "run/settings.h"
#include "stats/distributions.h"
#include "stats/intervals.h"

namespace lapcast {
namespace {

constexpr double kShortest = 2;  // length of a finished run over the observed part of the other
constexpr double kTeardownDeviation = 0.3;  // relative sd assumed of few tear-downs of a program

/// Adds the texts that distinguish trainings to the numbers of one. The program is as it was typed:
/// its placeholders make it the same for every setting.
ComparedTraining compared(const RunContext& context, const LapProfile& profile,
                          const TrainingPlan& plan) {
  ComparedTraining training = training_numbers(profile, plan);
  training.program = fmt::format("{}\n{}", fmt::join(context.program, "\n"),
                                 folder_of_program(context).value_or(""));
  training.version = settings_text(context);
  training.source = context.machine_type.name;
  training.machine = context.machine_type.name + '\n' + settings_text(context);
  return training;
}

bool can_be_compared(const LapProfile& profile) {
  return profile.steady.mean.mid.count() > 0;
}

/// Rounds down to steps of a quarter, so that runs observed for about equally long share their
/// replays.
std::int64_t rounded_laps(std::int64_t laps) {
  if (laps < 8) return laps;
  const double steps = std::floor(std::log(static_cast<double>(laps)) / std::log(1.25));
  return std::llround(std::pow(1.25, steps));
}

/// Keeps the interval at least as wide as Moments made it, around the corrected mid, and scales the
/// cases like the mid.
void keep_moments(Assessment& assessment, const Interval<Seconds>& before) {
  Interval<Seconds>& total = assessment.forecast->total;
  const double factor = total.mid / before.mid;
  total.low = std::min(total.low, before.low * factor);
  total.high = std::max(total.high, before.high * factor);
  auto cases = std::make_shared<std::vector<double>>(*assessment.cases);
  for (double& seconds : *cases) seconds *= factor;
  assessment.cases = std::move(cases);
}

/// Replaces the tear-down in the forecast of a stopped run by that of finished runs.
void take_teardown(Assessment& assessment, const std::optional<Interval<Seconds>>& teardown) {
  if (!teardown || assessment.profile->teardown_provenance == Provenance::measured) return;
  Forecast& forecast = *assessment.forecast;
  ForecastPart& part = part_of(forecast, PartKind::tear_down);
  assessment.later_end = teardown->mid - part.time.mid;
  forecast.total = with_teardown(forecast.total, part.time, *teardown);
  part.time = *teardown;
  if (!assessment.cases) return;
  auto cases = std::make_shared<std::vector<double>>(*assessment.cases);
  for (double& seconds : *cases) seconds += assessment.later_end.count();
  assessment.cases = std::move(cases);
}

/// Returns the past forecasts made from as much of a run as the profile.
PastForecasts past_of(const RunContext& context, const LapProfile& profile,
                      std::int64_t first_epochs, const TrackRecord& record) {
  if (!can_be_compared(profile)) return {};
  return record.past_forecasts(context.id, first_epochs > 0
                                               ? ObservedPart{.epochs = first_epochs}
                                               : ObservedPart{.laps = std::ssize(profile.laps)});
}

/// Returns the time until the end of the last observed lap of a run that starts like the next one.
Seconds observed_time(const LapProfile& profile) {
  Seconds time = profile.next_init ? profile.next_init->mid : profile.init;
  if (profile.next_warm_up) time += profile.next_warm_up->mid - profile.warm_up_excess;
  for (const Seconds lap : profile.laps) time += lap;
  return time;
}

std::string record_text(const PastErrors& errors) {
  const double percent = 100 * std::expm1(errors.bias);
  return fmt::format(
      "{} of this program{}: after as much was seen, {}; 95 % of the rests within "
      "{:.1f} %",
      counted(errors.runs, "earlier run"),
      errors.same_machine > 0 ? ", some on this machine type with these settings" : "",
      std::abs(percent) < 0.05 ? "the rest took as long as forecast"
                               : fmt::format("the rest took {:.1f} % {} than forecast",
                                             std::abs(percent), percent > 0 ? "longer" : "less"),
      100 * std::expm1(std::max(errors.below, errors.above)));
}

}  // namespace

TrackRecord::TrackRecord(std::span<const Run> runs) {
  for (auto run = runs.rbegin(); run != runs.rend() && finished_.size() < kMostRuns; ++run) {
    if (!std::holds_alternative<outcome::Ended>(run->outcome)) continue;
    const Assessment whole = assess(*run);
    if (whole.plan && real_time_of(*run, *whole.plan))
      finished_.push_back({run->context, laps_of(*run), run->wall(), whole.profile->teardown.mid,
                           cache_state_of(compile_caches_of(*run)) == CacheState::cold});
  }
}

bool TrackRecord::is_like_next(const Finished& finished) const {
  if (!finished.compiled) return true;
  std::size_t others = 0;
  for (const Finished& other : finished_) {
    if (&other == &finished || !is_same_program(other.context, finished.context)) continue;
    if (!other.compiled) return false;
    ++others;
  }
  return others > 0;
}

Result<PastForecast> TrackRecord::replayed(const Finished& finished, const ObservedPart& observed) {
  const RunContext& context = finished.context;
  const bool by_epochs = observed.epochs > 0;
  const auto times =
      by_epochs
          ? static_cast<double>(finished.log->epochs.size()) / static_cast<double>(observed.epochs)
          : static_cast<double>(finished.log->laps.size()) / static_cast<double>(observed.laps);
  if (times < kShortest) return because("too short");
  const auto log = by_epochs ? log_of_first_epochs(*finished.log, observed.epochs)
                             : log_of_first_laps(*finished.log, observed.laps);
  if (!log) return tl::unexpected(log.error());
  const auto profile = profile_of(*log, facts_before_start(context));
  if (!profile) return tl::unexpected(profile.error());
  if (!can_be_compared(*profile)) return because("laps that take no time");
  const auto plan = plan_of(context.plan, *profile);
  if (!plan) return tl::unexpected(plan.error());
  return forecast(*profile, *plan).map([&](const Forecast& made) {
    const Seconds total = made.total.mid - profile->teardown.mid + finished.teardown;
    return PastForecast{compared(context, *profile, *plan),
                        log_ratio_of(finished.real, total, from_ns(log->last_ns))};
  });
}

const std::vector<TrackRecord::Replay>& TrackRecord::replays(const ObservedPart& observed) const {
  const auto [entry, is_new] = replays_.try_emplace({observed.laps, observed.epochs});
  if (!is_new) return entry->second;
  for (const Finished& finished : finished_) {
    if (!is_like_next(finished)) continue;
    if (auto past_forecast = replayed(finished, observed))
      entry->second.push_back({&finished, *std::move(past_forecast)});
  }
  return entry->second;
}

PastForecasts TrackRecord::past_forecasts(const std::string& run_id,
                                          const ObservedPart& observed) const {
  if (observed.laps <= 0 && observed.epochs <= 0) return {};
  std::vector<PastForecast> result;
  for (const Replay& replay : replays({rounded_laps(observed.laps), observed.epochs}))
    if (replay.run->context.id != run_id) result.push_back(replay.past_forecast);
  return PastForecasts(std::move(result));
}

std::optional<Interval<Seconds>> TrackRecord::teardown_of(const RunContext& context) const {
  std::vector<double> seconds;
  for (const Finished& finished : finished_)
    if (finished.context.id != context.id && is_same_program(finished.context, context))
      seconds.push_back(finished.teardown.count());
  if (seconds.empty()) return std::nullopt;
  return to_seconds(few_values_interval(seconds, kTeardownDeviation));
}

PastErrors recorded_errors(const RunContext& context, const LapProfile& profile,
                           const TrainingPlan& plan, std::int64_t first_epochs,
                           const TrackRecord& record) {
  PastErrors errors = past_errors(compared(context, profile, plan),
                                  past_of(context, profile, first_epochs, record));
  errors.teardown = record.teardown_of(context);
  return errors;
}

Assessment with_track_record(Assessment assessment, const Run& run, std::int64_t first_epochs,
                             const TrackRecord& record) {
  if (!assessment.forecast) return assessment;
  const LapProfile& profile = *assessment.profile;
  const PastForecasts past = past_of(run.context, profile, first_epochs, record);
  const ComparedTraining now = compared(run.context, profile, *assessment.plan);
  const PastErrors errors = past_errors(now, past);
  take_teardown(assessment, record.teardown_of(run.context));
  if (errors.runs == 0) return assessment;
  assessment.bias = std::make_shared<const PastBias>(now, past);
  assessment.observed = observed_time(profile);
  Forecast& forecast = *assessment.forecast;
  const Seconds before = forecast.total.mid;
  const Interval<Seconds> own = forecast.total;
  forecast.total = with_past_errors(own, assessment.observed, errors);
  if (assessment.cases) keep_moments(assessment, own);
  forecast.parts.push_back({PartKind::earlier_runs,
                            Interval<Seconds>::exactly(forecast.total.mid - before),
                            Provenance::predicted});
  forecast.spread_between_runs = (errors.below + errors.above) / 2 / kZ95;
  forecast.record = record_text(errors);
  return assessment;
}

}  // namespace lapcast

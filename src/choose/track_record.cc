#include "choose/track_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "choose/real_time.h"
#include "forecast/first_epochs.h"
#include "stats/distributions.h"

namespace lapcast {
namespace {

constexpr double kShortest = 2;  // length of a finished run over the observed part of the other

/// Returns the program as it was typed; its placeholders make it the same for every setting.
std::string program_of(const RunContext& context) {
  std::string text;
  for (const std::string& argument : context.program) text += argument + '\n';
  return text;
}

ComparedTraining texts_of(const RunContext& context) {
  ComparedTraining texts;
  texts.program = program_of(context);
  texts.version = settings_text(context);
  texts.source = context.machine_type.name;
  texts.machine = context.machine_type.name + '\n' + settings_text(context);
  return texts;
}

ComparedTraining with_numbers(ComparedTraining texts, const ComparedTraining& numbers) {
  texts.slow_start = numbers.slow_start;
  texts.log_laps = numbers.log_laps;
  texts.log_lap = numbers.log_lap;
  return texts;
}

bool can_be_compared(const LapProfile& profile) {
  return profile.first_lap.count() > 0 && profile.steady.mean.mid.count() > 0;
}

/// Rounds down to steps of a quarter, so that runs of which about as much was observed share their
/// replays.
std::int64_t rounded_laps(std::int64_t laps) {
  if (laps < 8) return laps;
  const double steps = std::floor(std::log(static_cast<double>(laps)) / std::log(1.25));
  return std::llround(std::pow(1.25, steps));
}

/// Returns the time of the run until the end of its last observed lap.
Seconds observed_time(const LapProfile& profile) {
  Seconds time = profile.init;
  for (const Seconds lap : profile.laps) time += lap;
  return time;
}

std::string record_text(const PastErrors& errors) {
  const double percent = 100 * std::expm1(errors.bias);
  return fmt::format(
      "{} earlier run{} of this program{}: after as much was seen, {}; 95 % of the rests within "
      "{:.1f} %",
      errors.runs, errors.runs == 1 ? "" : "s",
      errors.same_machine > 0 ? ", some on this machine type with these settings" : "",
      std::abs(percent) < 0.05 ? "the rest took as long as forecast"
                               : fmt::format("the rest took {:.1f} % {} than forecast",
                                             std::abs(percent), percent > 0 ? "longer" : "less"),
      100 * std::expm1(errors.half_width));
}

}  // namespace

TrackRecord::TrackRecord(std::span<const Run> runs) {
  for (auto run = runs.rbegin(); run != runs.rend() && finished_.size() < kMostRuns; ++run) {
    if (!std::holds_alternative<outcome::Ended>(run->outcome)) continue;
    const Assessment whole = assess(*run);
    if (!whole.plan || !real_time_of(*run, *whole.plan)) continue;
    Finished finished;
    finished.id = run->context.id;
    finished.situation = texts_of(run->context);
    finished.log = laps_of(*run);
    finished.facts.start = run->context.start;
    finished.facts.validation_samples = run->context.plan.validation_samples;
    finished.plan = run->context.plan;
    finished.real = run->wall();
    finished_.push_back(std::move(finished));
  }
}

Result<PastForecast> TrackRecord::replayed(const Finished& finished, const ObservedPart& observed) {
  const double times =
      observed.epochs > 0
          ? static_cast<double>(finished.log.epochs.size()) / static_cast<double>(observed.epochs)
          : static_cast<double>(finished.log.laps.size()) / static_cast<double>(observed.laps);
  if (times < kShortest) return because("too short");
  const auto log = observed.epochs > 0 ? first_epochs(finished.log, observed.epochs)
                                       : first_laps(finished.log, observed.laps);
  if (!log) return tl::unexpected(log.error());
  const auto profile = profile_of(*log, finished.facts);
  if (!profile) return tl::unexpected(profile.error());
  if (!can_be_compared(*profile)) return because("laps that take no time");
  const auto plan = plan_of(finished.plan, *profile);
  if (!plan) return tl::unexpected(plan.error());
  const auto made = forecast(*profile, *plan);
  if (!made) return tl::unexpected(made.error());
  PastForecast past_forecast;
  past_forecast.situation = with_numbers(finished.situation, situation_of(*profile, *plan));
  past_forecast.log_ratio = log_ratio_of(finished.real, made->total.mid, from_ns(log->last_ns));
  return past_forecast;
}

const std::vector<TrackRecord::Replay>& TrackRecord::replays(const ObservedPart& observed) const {
  const auto [entry, is_new] = replays_.try_emplace({observed.laps, observed.epochs});
  if (!is_new) return entry->second;
  for (const Finished& finished : finished_) {
    if (auto past_forecast = replayed(finished, observed)) {
      entry->second.push_back({&finished, *std::move(past_forecast)});
    }
  }
  return entry->second;
}

PastForecasts TrackRecord::past_forecasts(const Run& run, const ObservedPart& observed) const {
  std::vector<PastForecast> result;
  if (observed.laps <= 0 && observed.epochs <= 0) return {};
  for (const Replay& replay : replays({rounded_laps(observed.laps), observed.epochs})) {
    if (replay.run->id != run.context.id) result.push_back(replay.past_forecast);
  }
  return PastForecasts(std::move(result));
}

ObservedPart seen_of(const Assessment& assessment, std::int64_t first_epochs) {
  if (first_epochs > 0) return {.epochs = first_epochs};
  return {.laps = assessment.profile ? std::ssize(assessment.profile->laps) : 0};
}

PastErrors past_errors_of(const Run& run, const Assessment& assessment,
                          const ObservedPart& observed, const TrackRecord& record) {
  if (!assessment.forecast || !can_be_compared(*assessment.profile)) return {};
  const ComparedTraining now =
      with_numbers(texts_of(run.context), situation_of(*assessment.profile, *assessment.plan));
  return past_errors(now, record.past_forecasts(run, observed));
}

Assessment with_track_record(Assessment assessment, const Run& run, const ObservedPart& observed,
                             const TrackRecord& record) {
  const PastErrors errors = past_errors_of(run, assessment, observed, record);
  if (errors.runs == 0) return assessment;
  Forecast& forecast = *assessment.forecast;
  const Seconds before = forecast.total.mid;
  const Interval<Seconds> total =
      with_past_errors(forecast.total, observed_time(*assessment.profile), errors);
  forecast.parts.push_back({PartKind::earlier_runs, Interval<Seconds>::exactly(total.mid - before),
                            Provenance::predicted});
  forecast.total = total;
  forecast.spread_between_runs = errors.half_width / kZ95;
  forecast.record = record_text(errors);
  return assessment;
}

}  // namespace lapcast

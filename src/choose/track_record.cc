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

constexpr double kShortest = 2;  // of a finished run, in laps seen of the one at hand

/// The program as it was typed; its placeholders make it the same for every setting.
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

/// Replays are shared between runs of which about as much was seen: laps in steps of a quarter.
std::int64_t rounded_laps(std::int64_t laps) {
  if (laps < 8) return laps;
  const double steps = std::floor(std::log(static_cast<double>(laps)) / std::log(1.25));
  return std::llround(std::pow(1.25, steps));
}

/// What the log of the run had come to when so much of it was seen.
Seconds seen_of(const LapProfile& profile) {
  Seconds seen = profile.init;
  for (const Seconds lap : profile.laps) seen += lap;
  return seen;
}

std::string words(const PastErrors& outlook) {
  const double percent = 100 * std::expm1(outlook.bias);
  return fmt::format(
      "{} earlier run{} of this program{}: after as much was seen, {}; 95 % of the rests within "
      "{:.1f} %",
      outlook.runs, outlook.runs == 1 ? "" : "s",
      outlook.same_machine > 0 ? ", some on this machine type with these settings" : "",
      std::abs(percent) < 0.05 ? "the rest took as long as forecast"
                               : fmt::format("the rest took {:.1f} % {} than forecast",
                                             std::abs(percent), percent > 0 ? "longer" : "less"),
      100 * std::expm1(outlook.half_width));
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

Result<PastForecast> TrackRecord::replayed(const Finished& finished, const ObservedPart& seen) {
  const double times =
      seen.epochs > 0
          ? static_cast<double>(finished.log.epochs.size()) / static_cast<double>(seen.epochs)
          : static_cast<double>(finished.log.laps.size()) / static_cast<double>(seen.laps);
  if (times < kShortest) return because("too short");
  const auto log = seen.epochs > 0 ? first_epochs(finished.log, seen.epochs)
                                   : first_laps(finished.log, seen.laps);
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

const std::vector<TrackRecord::Replay>& TrackRecord::replays(const ObservedPart& seen) const {
  const auto [entry, is_new] = replays_.try_emplace({seen.laps, seen.epochs});
  if (!is_new) return entry->second;
  for (const Finished& finished : finished_) {
    if (auto past_forecast = replayed(finished, seen)) {
      entry->second.push_back({&finished, *std::move(past_forecast)});
    }
  }
  return entry->second;
}

PastForecasts TrackRecord::past_forecasts(const Run& run, const ObservedPart& seen) const {
  std::vector<PastForecast> result;
  if (seen.laps <= 0 && seen.epochs <= 0) return {};
  for (const Replay& replay : replays({rounded_laps(seen.laps), seen.epochs})) {
    if (replay.run->id != run.context.id) result.push_back(replay.past_forecast);
  }
  return PastForecasts(std::move(result));
}

ObservedPart seen_of(const Assessment& assessment, std::int64_t first_epochs) {
  if (first_epochs > 0) return {.epochs = first_epochs};
  return {.laps = assessment.profile ? std::ssize(assessment.profile->laps) : 0};
}

PastErrors outlook_of(const Run& run, const Assessment& assessment, const ObservedPart& seen,
                      const TrackRecord& record) {
  if (!assessment.forecast || !can_be_compared(*assessment.profile)) return {};
  const ComparedTraining now =
      with_numbers(texts_of(run.context), situation_of(*assessment.profile, *assessment.plan));
  return outlook(now, record.past_forecasts(run, seen));
}

Assessment with_track_record(Assessment assessment, const Run& run, const ObservedPart& seen,
                             const TrackRecord& record) {
  const PastErrors outlook = outlook_of(run, assessment, seen, record);
  if (outlook.runs == 0) return assessment;
  Forecast& forecast = *assessment.forecast;
  const Seconds before = forecast.total.mid;
  const Interval<Seconds> total =
      with_outlook(forecast.total, seen_of(*assessment.profile), outlook);
  forecast.parts.push_back({std::string(kAsInEarlierRuns),
                            Interval<Seconds>::exactly(total.mid - before), Provenance::predicted});
  forecast.total = total;
  forecast.spread_between_runs = outlook.half_width / kZ95;
  forecast.record = words(outlook);
  return assessment;
}

}  // namespace lapcast

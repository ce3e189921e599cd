#include "suite/stopwatch/stopwatch.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <variant>

#include "core/lower_case.h"
#include "stats/summary.h"
#include "stats/two_samples.h"

namespace lapcast {
namespace {

std::string_view name_in_log(StopwatchStage stage) {
  return stage == StopwatchStage::pre_process ? "pre-process" : timer_name(stage);
}

double percent_of(double ratio) {
  return (ratio - 1) * 100;
}

/// Returns text for a field of a line; characters that would end the field or line become blanks.
std::string field(std::string_view text) {
  std::string result(text.substr(0, 200));
  std::replace_if(
      result.begin(), result.end(),
      [](char c) { return c == ',' || c == '"' || static_cast<unsigned char>(c) < 0x20; }, ' ');
  return result;
}

/// Formats seconds since 1970 as "2026-11-20 12:00:00", UTC; "" for implausible times.
std::string date_and_time(double wall_seconds) {
  using namespace std::chrono;
  if (!(wall_seconds > 0 && wall_seconds < 1e11)) return "";
  const sys_seconds when{seconds(static_cast<std::int64_t>(wall_seconds))};
  const auto day = floor<days>(when);
  const year_month_day date(day);
  const hh_mm_ss time(when - day);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     time.hours().count(), time.minutes().count(), time.seconds().count());
}

}  // namespace

std::string_view timer_name(StopwatchStage stage) {
  constexpr std::array<std::string_view, 5> kNames{"data-load", "data-pre-process", "compile",
                                                   "train", "evaluate"};
  return kNames[static_cast<std::size_t>(stage)];
}

std::optional<StageTime> time_of(const LapLog& log, StopwatchStage stage) {
  std::optional<StageTime> result;
  for (const StageSpan& span : log.stages) {
    if (span.name != name_in_log(stage) && span.name != timer_name(stage)) continue;
    if (!result) result = StageTime{from_ns(span.span.begin_ns), Seconds{0}};
    result->time += span.span.seconds();
  }
  return result;
}

std::optional<SpeedUp> percentage_speed_up(std::span<const double> cpu, std::span<const double> x) {
  if (cpu.empty() || x.empty() || !(mean(x) > 0)) return std::nullopt;
  SpeedUp result{percent_of(mean(cpu) / mean(x)), std::nullopt};
  if (const auto ratio = ratio_of_means(cpu, x))
    result.interval = {percent_of(ratio->low), result.percent, percent_of(ratio->high)};
  return result;
}

std::string stopwatch_device(std::string_view name) {
  std::string device = lower_case(name);
  return device == "cuda" ? "gpu" : device;
}

std::string stopwatch_lines(const Run& run, std::string_view tag, std::string_view user) {
  const auto log = laps_of(run);
  const std::string_view status =
      std::holds_alternative<outcome::Ended>(run.outcome) ? "ok" : "failed";
  std::string lines;
  for (const StopwatchStage stage : kStopwatchStages) {
    const auto time = time_of(*log, stage);
    if (!time) continue;
    const double began = log->hello->wall_seconds + time->begin.count();
    lines +=
        fmt::format("# csv,{},{},{:.6f},{:.6f},{},{},{},{},Linux,{}\n", timer_name(stage), status,
                    time->time.count(), time->time.count(), date_and_time(began), field(tag),
                    field(run.context.machine.host), field(user), field(run.context.machine.os));
  }
  return lines;
}

}  // namespace lapcast

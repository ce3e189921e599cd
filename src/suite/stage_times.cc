#include "suite/stage_times.h"

#include "stats/ratio.h"
#include "stats/summary.h"

namespace lapcast {
namespace {

std::string_view name_in_log(StopwatchStage stage) {
  return stage == StopwatchStage::pre_process ? "pre-process" : timer_name(stage);
}

double percent_of(double ratio) {
  return (ratio - 1) * 100;
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

}  // namespace lapcast

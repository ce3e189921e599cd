#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/seconds.h"
#include "lap/lap_log.h"
#include "run/run.h"

namespace lapcast {

/// Lists the five stages of the Colab review of 2021, in order.
enum class StopwatchStage { data_load, pre_process, compile, train, evaluate };
inline constexpr std::array kStopwatchStages{StopwatchStage::data_load, StopwatchStage::pre_process,
                                             StopwatchStage::compile, StopwatchStage::train,
                                             StopwatchStage::evaluate};

/// Returns the name as printed in the review: "data-load", "data-pre-process", "compile", "train",
/// "evaluate".
std::string_view timer_name(StopwatchStage stage);

/// Holds the total time of a run in all spans of a stage, and the start of the first span since
/// time 0 of the log. A lap log calls the second stage "pre-process" (docs/lap-log.md).
struct StageTime {
  Seconds begin{0};
  Seconds time{0};
};
/// Returns the time of a stage; nullopt if the log does not have the stage.
std::optional<StageTime> time_of(const LapLog& log, StopwatchStage stage);

/// Holds the speed-up (T_cpu / T_x - 1) * 100 % of mean times (table 1 of the review): 700 means
/// eight times as fast. It has a 95 % interval if both sides were measured at least twice.
struct SpeedUp {
  double percent = 0;
  std::optional<Interval<double>> interval;
};
/// Returns the speed-up; nullopt if either side has no time.
std::optional<SpeedUp> percentage_speed_up(std::span<const double> cpu, std::span<const double> x);

/// Returns the name of a device in results of the stopwatch: in lower case, and "gpu" for "cuda",
/// as PyTorch calls it.
std::string stopwatch_device(std::string_view name);

/// Holds the first line of a file of the review's stopwatch.
inline constexpr std::string_view kStopwatchHeader =
    "# csv,timer,status,time,sum,start,tag,uname.node,user,uname.system,platform.version\n";

/// Returns the lines of the review's stopwatch for one run, without the header: one line for each
/// of the five stages in its log. `tag` names network and device, `user` who measures. time and sum
/// are seconds to the microsecond, start is UTC. `lapcast import stopwatch` can read them.
std::string stopwatch_lines(const Run& run, std::string_view tag, std::string_view user);

}  // namespace lapcast

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/table.h"
#include "run/run.h"
#include "suite/stage_times.h"

namespace lapcast {

/// Holds the runs of one network on one device.
struct StopwatchEntry {
  std::string network;
  std::string device;
  std::vector<Run> runs;
  std::string reason;  // why there are none, or not more
};

/// Returns the seconds of a stage in each run that has it.
std::vector<double> stage_seconds(const std::vector<Run>& runs, StopwatchStage stage);

/// Returns the lines of the review's stopwatch for all runs, with a header. `user` is who measures.
std::string stopwatch_csv(const std::vector<StopwatchEntry>& entries, std::string_view user);

/// Returns the stages of every network and device, and the speed-ups of training and testing over
/// "cpu" in percent, as in table 1 of the Colab review of 2021.
std::vector<Table> stopwatch_tables(const std::vector<StopwatchEntry>& entries);

}  // namespace lapcast

#pragma once

#include <string>
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

/// Returns the stages of every network and device, and the speed-ups of training and testing over
/// "cpu" in percent, as in table 1 of the Colab review of 2021.
std::vector<Table> stopwatch_tables(const std::vector<StopwatchEntry>& entries);

}  // namespace lapcast

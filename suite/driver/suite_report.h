#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "run/run.h"
#include "stats/intervals.h"
#include "suite/driver/workload.h"
#include "suite/stopwatch/stopwatch.h"
#include "table/table.h"

namespace lapcast {

struct SuiteEntry {
  Workload workload;
  std::string program;  // path of its program; empty = not found
};
/// Returns a table of the workloads in suite/programs/suite.toml. `how_to_build` is a line that
/// becomes a note if a program is missing.
Table suite_table(const std::vector<SuiteEntry>& entries, const std::string& how_to_build);

/// Holds the repeated runs of one workload with the same settings.
struct SuiteResult {
  std::string workload;
  std::string settings;   // "batch=128 device=cuda"
  std::string set;        // id of the set in the store
  std::vector<Run> runs;  // those that ended by themselves
  RepeatRule rule;        // by which they were repeated
  std::string reason;     // why there are not more runs; empty = enough
};
/// Returns a table with the mean wall time, throughput, steady lap, accuracy, loss and cost of each
/// result, with 95 % intervals.
Table suite_result_table(const std::vector<SuiteResult>& results);

/// Holds the runs of one network on one device.
struct StopwatchEntry {
  std::string network;
  std::string device;
  std::vector<Run> runs;
  std::string reason;  // why there are none, or not more
};

/// Returns the lines of cloudmesh's stopwatch for all runs, after its header. `user` is the name of
/// the user who measures.
std::string stopwatch_csv(const std::vector<StopwatchEntry>& entries, std::string_view user);

/// Returns the devices of the entries, in order and without duplicates.
std::vector<std::string> devices_of(const std::vector<StopwatchEntry>& entries);

/// Returns the stages of each network and device, and table 1 of the Colab review of 2021: the
/// seconds of training and testing on each device, then the speed-ups over the device `reference`
/// in percent. JSON has the speed-ups in a row for each network and device.
std::vector<Table> stopwatch_tables(const std::vector<StopwatchEntry>& entries,
                                    const std::string& reference = "cpu");

}  // namespace lapcast

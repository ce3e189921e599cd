#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/table.h"
#include "run/run.h"
#include "stats/intervals.h"
#include "suite/queens.h"
#include "suite/stopwatch.h"
#include "suite/workload.h"

namespace lapcast {

/// Holds a workload and the place of its program.
struct SuiteEntry {
  Workload workload;
  std::string program;  // empty = it was not found
};
/// Returns all that workloads/suite.toml says. `how_to_build` is one line that is shown where a
/// program is missing.
Table suite_table(const std::vector<SuiteEntry>& entries, const std::string& how_to_build);

/// Holds the repeated runs of one workload with one choice of settings.
struct SuiteResult {
  std::string workload;
  std::string settings;   // "batch=128 device=cuda"
  std::string set;        // id of the set in the store
  std::vector<Run> runs;  // runs that ended well
  RepeatRule rule;
  std::string reason;  // why there are not more of them; empty = there are enough
};
/// Returns the means with 95 % intervals of wall time, throughput, steady lap, accuracy and cost.
Table suite_result_table(const std::vector<SuiteResult>& results);

/// Returns two tables. The first has for each board and mode the solutions compared with the known
/// number, the nodes per second and the speed-up over one thread (Carneiro 2018, equation 1), and
/// for a GPU also the speed-up over all cores. The second has the averages over the boards, as in
/// figures 1 and 2 of that paper.
std::vector<Table> queens_tables(const std::vector<QueensRuns>& runs);

/// Holds the runs of one network on one device.
struct StopwatchEntry {
  std::string network;
  std::string device;
  std::vector<Run> runs;
  std::string reason;  // why there are none, or not more
};

/// Returns the lines of cloudmesh's stopwatch for all runs, with a header. `user` is the name of
/// the user who measures.
std::string stopwatch_csv(const std::vector<StopwatchEntry>& entries, std::string_view user);

/// Returns the stages of every network and device, and the speed-ups of training and testing over
/// "cpu" in percent, as in table 1 of the Colab review of 2021.
std::vector<Table> stopwatch_tables(const std::vector<StopwatchEntry>& entries);

}  // namespace lapcast

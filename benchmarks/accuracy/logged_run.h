#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/seconds.h"
#include "import/mllog_line.h"
#include "import/mllog_units.h"

namespace lapcast::accuracy {

/// What a program printed of its progress. Each kind counts and reports in its own way.
struct ProgressLine {
  Seconds at{0};  // since run_start
  std::int64_t epoch = -1;  // -1 = not said
  std::int64_t iteration = 0;  // mxnet: the last of the line within its epoch; maskrcnn: of the run
  double reported = 0;         // mxnet: samples per second; maskrcnn: seconds per iteration
};

/// One run of the public logs: run_start to run_stop.
struct LoggedRun {
  std::string id;  // "round/submitter/system/benchmark/file"
  std::string round;
  std::string submitter;
  std::string system;
  std::string benchmark;
  std::string family;  // of its accelerators or processors: "A100"
  std::string framework;
  double accelerators = 0;   // of all nodes; 0 = not said
  double global_batch = 0;   // 0 = not said
  double train_samples = 0;  // of an epoch, as logged; 0 = not said
  Seconds total{0};
  std::optional<MllogUnit> unit;  // what the given number of units counts
  double units = 0;               // of the whole run, as given; of blocks in their weights
  std::vector<MllogEvent> events;  // those with a unit or an evaluation, in the order of the file;
                                   // time_ns since run_start
  std::string progress_kind;       // "mxnet", "maskrcnn"; empty = no progress lines
  std::vector<ProgressLine> progress;
};

/// The runs in the order of their table, found by their id.
struct LoggedRuns {
  std::vector<LoggedRun> runs;
  std::unordered_map<std::string, std::size_t> by_id;

  LoggedRun* find(std::string_view id);

 private:
  std::size_t last_ = 0;  // rows of one run stand together
};

}  // namespace lapcast::accuracy

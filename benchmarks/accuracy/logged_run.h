#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/seconds.h"
#include "formats/mllog_line.h"
#include "formats/mllog_reader.h"

namespace lapcast::accuracy {

/// Holds one line of progress that a program printed. Each kind counts and reports in its own way.
struct ProgressLine {
  Seconds at{0};               // since run_start
  std::int64_t epoch = -1;     // -1 when not given
  std::int64_t iteration = 0;  // mxnet: the line's last one in its epoch; maskrcnn: of the run
  double reported = 0;         // mxnet: samples per second; maskrcnn: seconds per iteration
};

/// Holds one run of the public logs, from run_start to run_stop.
struct LoggedRun {
  std::string id;  // "round/submitter/system/benchmark/file"
  std::string round;
  std::string submitter;
  std::string system;
  std::string benchmark;
  std::string family;  // of its accelerators or processors, such as "A100"
  std::string framework;
  double accelerators = 0;   // of all nodes; 0 when not known
  double global_batch = 0;   // 0 when not known
  double train_samples = 0;  // per epoch, as logged; 0 when not known
  Seconds total{0};
  bool was_aborted = false;       // its run_stop says something else than success
  std::optional<MllogUnit> unit;  // what `units` counts
  double units = 0;               // of the whole run, as given; blocks by their weights
  /// Holds the events with a unit or an evaluation in the order of the file; time_ns counts from
  /// run_start.
  std::vector<MllogEvent> events;
  std::string progress_kind;  // "mxnet", "maskrcnn", or empty without lines
  std::vector<ProgressLine> progress;
};

/// Holds the runs in the order of their table and finds them by their id.
struct LoggedRuns {
  std::vector<LoggedRun> runs;
  std::unordered_map<std::string, std::size_t> by_id;

  LoggedRun* find(std::string_view id);

 private:
  std::size_t last_ = 0;  // the rows of one run are consecutive
};

}  // namespace lapcast::accuracy

#pragma once

#include <string>
#include <vector>

#include "extrapolate/worker_scaling.h"

namespace lapcast::scaling {

/// Holds one measured lap of a public set.
struct ScalingRow {
  std::string task;     // decides the half: a network
  std::string program;  // all that was the same but workers and batch: task, machine, precision
  std::string kind;     // where the set has several: "placement", "spread"
  Workers workers;
  bool is_even = true;     // all nodes have the same number of workers
  double batch = 0;        // of one worker; only equal or not counts
  double log_seconds = 0;  // of a lap
};

/// Reads the rows of a public set below `folder` (docs/benchmarks.md names the files). Ends the
/// program by no_data_in() when a file is absent.
std::vector<ScalingRow> read_sia_laps(const std::string& folder);
std::vector<ScalingRow> read_gavel_laps(const std::string& folder);
std::vector<ScalingRow> read_lambda_laps(const std::string& folder);
std::vector<ScalingRow> read_tensorflow_laps(const std::string& folder);
std::vector<ScalingRow> read_foundry_laps(const std::string& folder);
std::vector<ScalingRow> read_data_parallel_laps(const std::string& folder);

}  // namespace lapcast::scaling

#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "core/seconds.h"
#include "probe/interrupt.h"
#include "run/run.h"

namespace lapcast {

/// When a probe ends.
struct ProbeLimits {
  double precision = 0.02;        // wanted relative half-width of the steady lap's 95 % interval
  std::int64_t max_laps = 0;      // 0 = no limit
  Seconds budget{60};             // of the whole probe, start-up included; 0 = no limit
  Seconds grace{5};               // between TERM and KILL
  std::int64_t max_log_bytes = 256LL << 20;
  bool to_the_end = false;        // no stopping rule, no budget: the program's own end counts
};

/// What is known while a probe runs, for a progress line.
struct ProbeProgress {
  Seconds elapsed{0};
  std::int64_t laps = 0;
  std::int32_t epoch = 0;
  std::string state;  // "starting", "lap 12: 3.1 % +- , 2 % wanted", "asking for a validation" ...
};
using ProbeListener = std::function<void(const ProbeProgress&)>;

struct ProbeRequest {
  RunContext context;
  ProbeLimits limits;
  std::filesystem::path run_parent;  // where its run folder is made; empty = the temporary folder
  bool keep_run_folder = false;
  std::filesystem::path store_file;  // written by lapcast itself, also while the program runs
};

/// Runs the program of a request under observation and returns all that was learned, whatever
/// happened to it. Nothing of it is left running. `{run_dir}` in its arguments is its own empty run
/// folder, which LAPCAST_RUN_DIR names too. Throws Error only when the machine refuses what lapcast
/// itself needs (a folder, a pipe).
Run supervise(const ProbeRequest& request, Interrupt& interrupt, const ProbeListener& listener);

}  // namespace lapcast

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "accuracy/dropped.h"
#include "accuracy/logged_run.h"
#include "accuracy/probe.h"
#include "core/error.h"

namespace lapcast::accuracy {

/// Holds a training of a table of intervals or of iterations.
struct TimedRun {
  LoggedRun run;                   // `units` are its steps, or its iterations
  std::vector<std::string> lines;  // of eval_measurements.csv without its header; AlgoPerf only
  std::vector<double> ends;        // seconds since the start, of each row
  std::vector<double> steps;       // at these ends
};

inline constexpr const char* kAlgoperf = "AlgoPerf";
inline constexpr const char* kAlgoperfStrict = "AlgoPerf, three evaluations within 2 %";
inline constexpr const char* kMegatron = "Megatron";

/// Reads runs.csv and evals.csv of AlgoPerf; `submitter` is the submission.
std::vector<TimedRun> read_algoperf(const std::filesystem::path& folder, Dropped& dropped,
                                    std::vector<std::string>& notes);
/// Reads files.csv and series.csv of Megatron; `submitter` is the test case.
std::vector<TimedRun> read_megatron(const std::filesystem::path& folder, Dropped& dropped,
                                    std::vector<std::string>& notes);

/// Returns what is known after a share of the time, but at least three evaluations: the rows until
/// then, and the last step. A run of fewer than five evaluations has no probe.
Result<Probe> probe_of_share(const TimedRun& timed, double share);
/// Returns what is known after the first ten stored iterations: their times and how many there are.
/// A series of fewer than 40 has no probe.
Result<Probe> probe_of_ten(const TimedRun& timed);

}  // namespace lapcast::accuracy

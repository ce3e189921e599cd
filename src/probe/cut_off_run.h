#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "core/seconds.h"
#include "probe/request.h"
#include "run/run.h"

namespace lapcast {

/// Holds what was heard of a run while it went on.
struct HeardOfRun {
  MonotonicNs started_ns = 0;      // when its program was started; 0 = not known
  Seconds elapsed{0};              // that the program ran without pauses until its last progress
  MonotonicNs heard_ns = 0;        // when that progress came; 0 = not known
  std::optional<Run> so_far = {};  // what was saved of it last

  /// Takes progress that has just come from a program on this machine.
  void take(const ProbeProgress& progress);
};

/// Returns the run of a program whose lapcast was killed, from what was heard of it and from the
/// lap logs in its run folder. `ended_ns` is when the program was gone; 0 = when it was heard of
/// last. The outcome, which says `why`, is NotEnded; it is NotStarted where nothing was heard of
/// the program and `run_folder` is empty.
Run cut_off_run(const RunContext& context, std::int64_t max_log_bytes, const HeardOfRun& heard,
                const std::filesystem::path& run_folder, MonotonicNs ended_ns,
                const std::string& why);

}  // namespace lapcast

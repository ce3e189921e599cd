#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "core/seconds.h"
#include "probe/request.h"
#include "run/run.h"

namespace lapcast {

/// Collects what was heard of a run while it was under way.
struct HeardOfRun {
  MonotonicNs started_ns = 0;      // when its program was started; 0 = not known
  Seconds elapsed{0};              // running time without pauses, at the last progress
  MonotonicNs heard_ns = 0;        // when that progress arrived; 0 = not known
  std::optional<Run> so_far = {};  // the last saved state

  /// Takes progress that has just come from a program on this machine.
  void take(const ProbeProgress& progress);
};

/// Reconstructs the run of a program whose lapcast was killed, from `heard` and the lap logs in its
/// run folder. `ended_ns` is when the program was gone; 0 = when it was last heard of. The outcome
/// says `why`: it is NotStarted if nothing was heard of the program and `run_folder` is empty, else
/// NotEnded.
Run cut_off_run(const RunContext& context, std::int64_t max_log_bytes, const HeardOfRun& heard,
                const std::filesystem::path& run_folder, MonotonicNs ended_ns,
                const std::string& why);

}  // namespace lapcast

#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lap/lap_log.h"
#include "probe/helper_process.h"

namespace lapcast {

/// Says whose a process is that the driver names; both are false for one that is not known here.
struct ProcessOwner {
  std::function<bool(pid_t)> is_own;    // one of the program's
  std::function<bool(pid_t)> is_other;  // that of somebody else
};

/// Samples what the NVIDIA GPUs of this machine do, five times a second at first, by a helper
/// process that asks the driver (helpers/gpu_load.c).
class GpuSampler {
 public:
  /// Starts the helper for the GPUs that `visible` names in the manner of CUDA_VISIBLE_DEVICES, by
  /// their numbers or UUIDs; for all where it is empty or names them otherwise. Returns nothing
  /// where the helper cannot be started. Without a driver there are no samples.
  static std::optional<GpuSampler> start(const std::string& visible);

  pid_t helper() const { return helper_.pid(); }
  /// Reads what the helper has printed. Adds its newest line to the sample where there is one, and
  /// returns what that says of each GPU the first time; nothing when it was returned before.
  std::vector<GpuSample> add_to(LoadSample& load, const ProcessOwner& owner);
  /// Forgets what the helper has printed so far, as after a pause.
  void forget();

 private:
  explicit GpuSampler(HelperProcess helper) : helper_(std::move(helper)) {}
  bool read_lines();

  HelperProcess helper_;
  std::string said_;    // after the newest whole line
  std::string newest_;  // whole line
};

/// Adds a line of the helper to a sample, such as "1980 4 61 mW=690123 gpu=0 busy=97
/// used=3221225472 of=8589934592 4711:2147483648 gpu=1 exclusive=1 4712", and returns what it says
/// of each GPU; "-" is not known, and what else is not known is left out. A line of another shape
/// adds nothing.
std::vector<GpuSample> add_gpu_line(std::string_view line, const ProcessOwner& owner,
                                    LoadSample& load);

/// Returns the bytes of the program that helpers/gpu_load.c was built into.
std::string_view gpu_program();

}  // namespace lapcast

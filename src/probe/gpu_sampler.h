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

/// Tells who owns a process that the driver names; both return false for an unknown one.
struct ProcessOwner {
  std::function<bool(pid_t)> is_own;    // the program owns it
  std::function<bool(pid_t)> is_other;  // somebody else owns it
};

/// Samples the load of this machine's NVIDIA GPUs, five times a second at first, through a helper
/// process that asks the driver (helpers/gpu_load.c).
class GpuSampler {
 public:
  /// Starts the helper for the GPUs that `visible` names by number or UUID, as CUDA_VISIBLE_DEVICES
  /// does; for all if it is empty or names them in another way. Returns nothing if the helper
  /// cannot be started. Without a driver there are no samples.
  static std::optional<GpuSampler> start(const std::string& visible);

  pid_t helper() const { return helper_.pid(); }
  /// Reads the helper's output and adds its newest line, if any, to the sample. Returns the line's
  /// sample of each GPU, once per line.
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
/// used=3221225472 of=8589934592 4711:2147483648 gpu=1 exclusive=1 4712", and returns its sample of
/// each GPU. "-" means not known; words may be missing. A line of another shape adds nothing.
std::vector<GpuSample> add_gpu_line(std::string_view line, const ProcessOwner& owner,
                                    LoadSample& load);

/// Returns the executable built from helpers/gpu_load.c.
std::string_view gpu_program();

}  // namespace lapcast

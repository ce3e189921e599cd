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

/// Samples what the NVIDIA GPUs of this machine do, once a second, by a helper process that asks
/// the driver (helpers/gpu_load.c).
class GpuSampler {
 public:
  /// Starts the helper for the GPUs that `visible` names in the manner of CUDA_VISIBLE_DEVICES, by
  /// their numbers; for all where it is empty or names them otherwise. Returns nothing where the
  /// helper cannot be started. Without a driver there are no samples.
  static std::optional<GpuSampler> start(const std::string& visible);

  pid_t helper() const { return helper_.pid(); }
  /// Adds the newest sample of the GPUs where there is one. `is_other` says of a process on a GPU
  /// whether it belongs to others than the program.
  void add_to(LoadSample& load, const std::function<bool(pid_t)>& is_other);

 private:
  explicit GpuSampler(HelperProcess helper) : helper_(std::move(helper)) {}

  HelperProcess helper_;
  std::string said_;    // after the newest whole line
  std::string newest_;  // whole line
};

/// Adds a line of the helper to a sample, such as "1980 4 61 mW=690123 4711 4712"; "-" is not
/// known, and the power is left out where it is not known. A line of another shape adds nothing.
void add_gpu_line(std::string_view line, const std::function<bool(pid_t)>& is_other,
                  LoadSample& load);

/// Returns the bytes of the program that helpers/gpu_load.c was built into.
std::string_view gpu_program();

}  // namespace lapcast

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/seconds.h"
#include "lap/lap_log.h"
#include "run/run.h"

namespace lapcast {

/// Counts the lines by which the usual libraries (PyTorch, TensorFlow, JAX, CUDA, ROCm, XPU) say
/// that a GPU has no memory left.
struct GpuMemoryErrors {
  std::size_t count = 0;
  std::string last = {};  // the newest of these lines, printable
};
GpuMemoryErrors gpu_memory_errors_in(std::string_view standard_error);

/// Finds out that a program has run out of GPU memory: it said so, and has reported no lap since. A
/// program that goes on, with a smaller batch for example, has not.
class GpuMemoryWatch {
 public:
  /// Looks at what the program has printed, and how many laps it has reported, until `now`.
  void look(std::string_view standard_error, std::size_t laps, MonotonicNs now);
  /// Returns what it last said where it has reported no lap since.
  const std::optional<std::string>& message() const { return message_; }
  /// Returns for how long it has reported no lap since then.
  Seconds silent_for(MonotonicNs now) const;

 private:
  std::size_t errors_ = 0;
  std::size_t laps_ = 0;
  MonotonicNs since_ = 0;
  std::optional<std::string> message_;
};

/// Returns the outcome of a run that ran out of GPU memory: with the batch size of its settings,
/// its arguments or its plan, and the most that the program or the driver told of its memory.
outcome::Crashed out_of_gpu_memory(std::string message, const RunContext& context,
                                   const LapLog& log, std::span<const GpuSample> samples);

}  // namespace lapcast

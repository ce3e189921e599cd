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

/// Counts the lines in which the usual libraries (PyTorch, TensorFlow, JAX, CUDA, ROCm, XPU) say
/// that a GPU is out of memory.
struct GpuMemoryErrors {
  std::size_t count = 0;
  std::string last = {};  // the newest of these lines, printable
};
GpuMemoryErrors gpu_memory_errors_in(std::string_view standard_error);

/// Detects that a program has run out of GPU memory: it said so and has reported no lap since. A
/// program that goes on, for example with a smaller batch, has not.
class GpuMemoryWatch {
 public:
  /// Takes all that the program has printed on stderr, and its number of laps, at `now`.
  void look(std::string_view standard_error, std::size_t laps, MonotonicNs now);
  /// Returns the last such message if no lap was reported since.
  const std::optional<std::string>& message() const { return message_; }
  /// Returns the time since that message; 0 without one.
  Seconds silent_for(MonotonicNs now) const;

 private:
  std::size_t errors_ = 0;
  std::size_t laps_ = 0;
  MonotonicNs since_ = 0;
  std::optional<std::string> message_;
};

/// Returns the batch size of a run, from its settings, arguments or plan; empty = not known.
std::string batch_of(const RunContext& context, const LapLog& log);

/// Returns the outcome of a run that ran out of GPU memory, with the batch size from its settings,
/// arguments or plan, and the peak of memory that the program or the driver reported.
outcome::Crashed out_of_gpu_memory(std::string message, const RunContext& context,
                                   const LapLog& log, std::span<const GpuSample> samples);

}  // namespace lapcast

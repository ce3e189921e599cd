#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/seconds.h"
#include "posix/spawn.h"
#include "probe/child_process.h"
#include "probe/gpu_memory_error.h"
#include "probe/lap_folder.h"
#include "probe/load_sampler.h"
#include "probe/memory_bound.h"
#include "probe/request.h"
#include "run/run.h"

namespace lapcast {

/// Returns the last of the last lines of stderr in which the usual libraries say that there is no
/// main memory left (Python's MemoryError, C++, NumPy, PyTorch on CPUs, TensorFlow, Java, Slurm);
/// empty without one.
std::string main_memory_error_in(std::string_view standard_error);

/// Decides how a lack of memory, of a GPU or of the machine, ends a run. The constructor's
/// arguments must outlive it.
class MemoryLack {
 public:
  MemoryLack(const ProbeRequest& request, const LapFolder& laps, const ProgramOutput& output,
             const std::optional<LoadSampler>& load)
      : request_(request), laps_(laps), output_(output), load_(load) {}

  /// Bounds the main memory of a program that is about to be started, as its limits ask.
  void bound(SpawnSpec& spec);
  /// Returns an outcome if the program has reached that bound. If it runs (`is_running`), reads its
  /// output twice a second. Returns an outcome if the probe is to be ended because its program has
  /// reported a lack of GPU memory and does not end: after the grace if an exception is sure to end
  /// it, else after a budget without a lap.
  std::optional<Outcome> look(MonotonicNs now, bool is_running);
  /// Returns what a watched program's user should know of its memory and was not told yet; looks
  /// every 30 s.
  std::vector<std::string> take_warnings(MonotonicNs now, const Run& run);
  /// Replaces an outcome that follows from a lack of memory by one that says so.
  void explain(Outcome& outcome, MonotonicNs ended_ns);

 private:
  std::optional<Outcome> at_bound() const;
  void read(MonotonicNs now);
  Outcome made() const;
  outcome::Crashed of_main_memory(outcome::Crashed crash, std::string message) const;

  const ProbeRequest& request_;
  const LapFolder& laps_;
  const ProgramOutput& output_;
  const std::optional<LoadSampler>& load_;
  GpuMemoryWatch watch_;
  MemoryBound bound_;
  std::int64_t kills_before_ = 0;
  MonotonicNs next_read_ = 0;
  MonotonicNs next_warning_ = 0;
  std::size_t warned_ = 0;
};

}  // namespace lapcast

#pragma once

#include <optional>

#include "core/seconds.h"
#include "probe/child_process.h"
#include "probe/gpu_memory_error.h"
#include "probe/lap_folder.h"
#include "probe/load_sampler.h"
#include "probe/request.h"
#include "run/run.h"

namespace lapcast {

/// Decides how a lack of GPU memory ends a run. The constructor's arguments must outlive it.
class GpuMemoryLack {
 public:
  GpuMemoryLack(const ProbeRequest& request, const LapFolder& laps, const ProgramOutput& output,
                const std::optional<LoadSampler>& load)
      : request_(request), laps_(laps), output_(output), load_(load) {}

  /// Reads the program's output. Returns an outcome if the probe is to be ended because its program
  /// has reported a lack of memory and does not end: after the grace if an exception is sure to end
  /// it, else after a budget without a lap.
  std::optional<Outcome> look(MonotonicNs now);
  /// Replaces an outcome that follows from a lack of memory by one that says so.
  void explain(Outcome& outcome, MonotonicNs ended_ns);

 private:
  void read(MonotonicNs now);
  Outcome made() const;

  const ProbeRequest& request_;
  const LapFolder& laps_;
  const ProgramOutput& output_;
  const std::optional<LoadSampler>& load_;
  GpuMemoryWatch watch_;
};

}  // namespace lapcast

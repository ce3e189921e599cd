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

/// Says what follows for a run from a lack of GPU memory. What it is made of has to outlive it.
class GpuMemoryLack {
 public:
  GpuMemoryLack(const ProbeRequest& request, const LapFolder& laps, const ProgramOutput& output,
                const std::optional<LoadSampler>& load)
      : request_(request), laps_(laps), output_(output), load_(load) {}

  /// Looks at what the program has printed. Returns the outcome of a probe that is to be ended,
  /// because its program said so and does not end: after the grace where an exception is sure to
  /// end it, else after a budget without a lap.
  std::optional<Outcome> look(MonotonicNs now);
  /// Puts the lack of memory in the place of an outcome that followed from it.
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

#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "run/run.h"

namespace lapcast {

/// Says how much memory a suspended program holds, and out of how much.
struct HeldMemory {
  struct Part {
    std::int64_t bytes = 0;
    std::int64_t total_bytes = 0;  // 0 = not known
  };
  Part host;
  std::map<std::int64_t, Part> gpus;  // GPUs that it computes on, by the driver's number
  bool is_exclusive = false;          // one of these GPUs allows only one process at a time
};

/// Returns the memory that the program of a run held when it was suspended: on the host as the
/// system reports it, on each GPU as the driver does or, failing that, the program itself.
HeldMemory held_memory_of(const Run& so_far);

/// Returns whether programs of one machine can stay suspended with the memory they hold on its
/// GPUs: each GPU must have room for one more as large as the largest of them. A GPU that allows
/// one process at a time can hold none. Unknown sizes count as fitting.
bool fit_on_gpus(std::span<const HeldMemory* const> held);
/// Returns whether they also take at most half of the host's memory.
bool fit_beside_others(std::span<const HeldMemory* const> held);

/// Returns whether a run may have lacked GPU memory because suspended programs of its machine hold
/// some.
bool is_crowded_out(const Run& run, std::span<const HeldMemory* const> held);

}  // namespace lapcast

#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "run/run.h"

namespace lapcast {

/// Says what memory a suspended program holds, and of how much.
struct HeldMemory {
  struct Part {
    std::int64_t bytes = 0;
    std::int64_t total_bytes = 0;  // 0 = not known
  };
  Part host;
  std::map<std::int64_t, Part> gpus;  // by the driver's number of each that it computes on
  bool is_exclusive = false;          // one of these takes one process at a time
};

/// Returns what the program of a run held when it was suspended: on the host by the system, on each
/// GPU by the driver or, where that does not tell, by the program itself.
HeldMemory held_memory_of(const Run& so_far);

/// Returns whether programs of one machine can stay suspended with what they hold on its GPUs: they
/// leave room on each for another one as large as the largest of them. A GPU that takes one process
/// at a time can hold none. Unknown sizes fit.
bool fit_on_gpus(std::span<const HeldMemory* const> held);
/// Returns whether they also take at most half of the host's memory.
bool fit_beside_others(std::span<const HeldMemory* const> held);

/// Returns whether a run may have found no GPU memory because suspended programs of its machine
/// hold some.
bool is_crowded_out(const Run& run, std::span<const HeldMemory* const> held);

}  // namespace lapcast

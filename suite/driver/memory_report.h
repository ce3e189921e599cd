#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "extrapolate/memory_line.h"
#include "machine/description.h"
#include "run/run.h"
#include "table/table.h"

namespace lapcast {

/// Describes a memory into which a batch must fit: that of this machine or of a GPU.
struct UsableMemory {
  std::string name;  // "this machine", "NVIDIA H200"
  std::int64_t bytes = 0;
  std::string how;         // source of the figure
  bool on_device = false;  // of an accelerator
};

/// Returns the memory of the machine that this process may use, the free part of it, and the memory
/// of each model of GPU.
std::vector<UsableMemory> usable_memories(const MachineDescription& machine);

/// Holds the peak memory of a short run with one batch size.
struct MemoryUse {
  std::int64_t batch = 0;                           // samples
  std::string run = {};                             // its id; empty = no run
  std::optional<std::int64_t> peak_rss_bytes = {};  // as in Usage
  std::optional<std::int64_t> device_bytes = {};    // on its device; absent = not known
  std::optional<std::int64_t> before_bytes = {};    // resident before its network was built
  std::string reason = {};                          // why there is no peak
};

/// Returns what a run with that batch used, or the reason why that is not known: it did not end
/// well, its training set is too small for a whole batch, or it did not report its device.
Result<MemoryUse> memory_use_of(const Run& run, std::int64_t batch, bool on_device);

/// Holds the peaks of a program, on the host or on its device.
struct MemoryByBatch {
  std::string workload;
  bool on_device = false;
  std::vector<MemoryUse> uses = {};

  Result<MemoryLine> line() const;
};

/// Returns tables of the measured peaks, of the line through them, of the peaks that it forecasts
/// for `batches`, and of the largest batch that fits into each memory to which it applies.
std::vector<Table> memory_tables(const MemoryByBatch& memory,
                                 const std::vector<std::int64_t>& batches,
                                 const std::vector<UsableMemory>& memories);

}  // namespace lapcast

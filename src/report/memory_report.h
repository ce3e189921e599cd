#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "machine/description.h"
#include "report/table.h"
#include "suite/network_size.h"

namespace lapcast {

/// Describes a memory that a batch has to fit into: that of this machine or of a GPU.
struct UsableMemory {
  std::string name;  // "this machine", "NVIDIA H200"
  std::int64_t bytes = 0;
  std::string how;  // where the figure comes from
};

/// Returns the memory of the machine that this process may use, the part of it that is free now,
/// and the memory of each model of GPU.
std::vector<UsableMemory> usable_memories(const MachineDescription& machine);

/// Holds the memory that a run really used.
struct MemoryUse {
  std::string run;                                // id of the run
  std::int64_t batch = 0;                         // samples
  std::int64_t peak_rss_bytes = 0;                // as in Usage
  std::optional<std::int64_t> device_bytes = {};  // on its device; absent = not known
};

/// Returns tables of the memory by layer, of its sum, of the largest batch that fits into each
/// memory, and of what runs really used.
std::vector<Table> memory_tables(const NetworkSize& size, const MemoryEstimate& estimate,
                                 const std::vector<UsableMemory>& memories,
                                 const std::vector<MemoryUse>& uses);

}  // namespace lapcast

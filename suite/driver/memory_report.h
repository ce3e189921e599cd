#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "machine/description.h"
#include "suite/driver/memory_estimate.h"
#include "suite/driver/network_size.h"
#include "suite/papers/study.h"
#include "table/table.h"

namespace lapcast {

/// Describes a memory that a batch has to fit into: that of this machine or of a GPU.
struct UsableMemory {
  std::string name;  // "this machine", "NVIDIA H200"
  std::int64_t bytes = 0;
  std::string how;         // where the figure comes from
  bool on_device = false;  // of an accelerator, where the framework's host memory does not count
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
  std::optional<std::int64_t> before_bytes = {};  // resident before its network was built

  /// Returns what the training took: the peak above what was resident before the network was built.
  std::optional<std::int64_t> training_bytes() const {
    if (!before_bytes || *before_bytes >= peak_rss_bytes) return std::nullopt;
    return peak_rss_bytes - *before_bytes;
  }
};

/// Returns tables of the memory by layer, of its sum, of the largest batch that fits into each
/// memory, of batches that a paper found too large, and of what runs really used.
std::vector<Table> memory_tables(const NetworkSize& size, const MemoryEstimate& estimate,
                                 const std::vector<UsableMemory>& memories,
                                 const std::vector<MemoryUse>& uses,
                                 const std::vector<PaperMemoryLimit>& limits);

}  // namespace lapcast

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "machine/description.h"
#include "report/table.h"
#include "suite/network_size.h"

namespace lapcast {

/// Describes a memory that a batch has to fit into.
struct MemoryPlace {
  std::string name;  // "this machine", "NVIDIA H200"
  std::int64_t bytes = 0;
  std::string how;  // where the figure comes from
};

/// Returns the memory of the machine as far as this process may use it, and that of each kind of
/// GPU.
std::vector<MemoryPlace> memory_places(const MachineDescription& machine);

/// Holds what a run with some batch really used.
struct MemoryUse {
  std::string run;  // id of the run
  std::int64_t batch = 0;
  std::int64_t peak_rss_bytes = 0;
  std::optional<std::int64_t> device_bytes = {};
};

/// Returns tables of the memory by layer, of its sum, of the largest batch for each place, and of
/// what runs really used. People are shown KiB and MiB; machine formats get bytes.
std::vector<Table> memory_tables(const NetworkSize& size, const MemoryEstimate& estimate,
                                 const std::vector<MemoryPlace>& places,
                                 const std::vector<MemoryUse>& uses);

}  // namespace lapcast

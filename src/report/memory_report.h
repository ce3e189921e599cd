#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/table.h"
#include "suite/memory_estimate.h"
#include "suite/network_size.h"

namespace lapcast {

/// A memory that a batch has to fit into.
struct MemoryPlace {
  std::string name;  // "this machine", "NVIDIA H200"
  std::int64_t bytes = 0;
  std::string how;  // where the figure comes from
};

/// What a run with some batch really used.
struct MemoryUse {
  std::string run;  // id
  std::int64_t batch = 0;
  std::int64_t peak_rss_bytes = 0;
  std::int64_t device_bytes = 0;  // 0 = none, or not known
};

/// By layer, then all together, then the largest batch for each place, then what runs really used.
std::vector<Table> memory_tables(const NetworkSize& size, const MemoryEstimate& estimate,
                                 const std::vector<MemoryPlace>& places,
                                 const std::vector<MemoryUse>& uses);

}  // namespace lapcast

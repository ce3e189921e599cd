#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/error.h"
#include "extrapolate/memory_fit.h"
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

/// Returns what a run of a workload with that batch used, or the reason why that is not known: it
/// did not end well, its training set is too small for a whole batch, or it did not report its
/// device.
Result<MemoryUse> memory_use_of(const Run& run, std::int64_t batch, bool on_device);

/// Returns tables of the measured peaks of a workload, of the line through those on the device or
/// the host, of the peaks that it forecasts for `batches`, and of the largest batch that fits into
/// each memory to which it applies.
std::vector<Table> memory_tables(const MemoryByBatch& memory, bool on_device,
                                 const std::vector<std::int64_t>& batches,
                                 const std::vector<UsableMemory>& memories);

/// Says what to forecast of the memory of stored runs.
struct MemoryQuestion {
  std::optional<std::int64_t> in_bytes;  // the memory into which batches must fit; nothing = that
                                         // of the runs' own machines
  std::vector<std::int64_t> batches;
  std::int64_t length = 0;  // of sequences that have to fit; 0 = as long as the run says
};

/// Returns tables of the same of any programs, with the line of each meter, and the answer in words
/// above the first: whether the batches fit, and the largest that does.
std::vector<Table> memory_forecast_tables(std::span<const MemoryByBatch> programs,
                                          const MemoryQuestion& question);

/// Returns the table of what longer sequences need, a row for each run and meter that saw any, with
/// the verdicts as its answer.
Table sequence_memory_table(std::span<const Run> runs, const MemoryQuestion& question);

}  // namespace lapcast

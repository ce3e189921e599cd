#include "report/memory_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/units.h"

namespace lapcast {
namespace {

struct LayerRow {
  std::string name;
  std::int64_t parameters;
  std::int64_t outputs;
  std::optional<std::int64_t> multiply_adds;
};

Table layer_table(const NetworkSize& size, const MemoryEstimate& estimate) {
  std::vector<LayerRow> rows{{"input", 0, size.input_numbers, {}}};
  for (const LayerSize& layer : size.layers)
    rows.push_back({layer.name, layer.parameters, layer.outputs, layer.multiply_adds});
  const auto bytes = [&](const LayerRow& row) { return 4 * row.outputs * estimate.batch; };
  return table_of<LayerRow>(
      fmt::format("Layers of {}", size.name),
      {{"layer", "layer", &LayerRow::name},
       {"parameters", "parameters", &LayerRow::parameters},
       {"outputs", "outputs a sample", &LayerRow::outputs},
       {"multiply_adds", "multiply-adds a sample", &LayerRow::multiply_adds},
       {"activations_bytes", "bytes a batch", bytes},
       {"activations", "a batch", [&](auto& r) { return format_bytes(bytes(r)); }}},
      rows);
}

struct MemoryPart {
  std::string name;
  std::int64_t bytes;
  std::string how;
};

Table total_table(const NetworkSize& size, const MemoryEstimate& estimate) {
  const std::vector<MemoryPart> parts{
      {"parameters", estimate.parameters, fmt::format("{} of 4 bytes", size.parameters)},
      {"gradients", estimate.gradients, "one for each parameter"},
      {"optimizer state", estimate.optimizer_state,
       fmt::format("{}: {} of 4 bytes", size.optimizer, size.optimizer_numbers)},
      {"activations of a sample", estimate.per_sample, "its input and the outputs that are kept"},
      {"activations of the batch", estimate.activations(),
       fmt::format("{} samples", estimate.batch)},
      {"training, in all", estimate.total(), "without the activations of a sample"},
      {"one sample as [L] counts", memory_of_one_sample(size), "parameters, input and outputs"}};
  Table table =
      table_of<MemoryPart>(fmt::format("Memory of {}, batch {}", size.name, estimate.batch),
                           {{"part", "part", &MemoryPart::name},
                            {"bytes", "bytes", &MemoryPart::bytes},
                            {"memory", "memory", [](auto& r) { return format_bytes(r.bytes); }},
                            {"how", "how", &MemoryPart::how}},
                           parts);
  table.notes.push_back(
      "not in it: the framework itself and its buffers, the data set, gradients of "
      "activations while the backward pass runs");
  return table;
}

Table batch_table(const MemoryEstimate& estimate, const std::vector<UsableMemory>& memories) {
  return table_of<UsableMemory>(
      "Largest batch by this estimate",
      {{"memory_of", "memory of", &UsableMemory::name},
       {"memory_bytes", "bytes", &UsableMemory::bytes},
       {"memory", "memory", [](auto& r) { return format_bytes(r.bytes); }},
       {"largest_batch", "largest batch",
        [&](auto& r) { return largest_batch(estimate, r.bytes); }},
       {"how", "how it was found", &UsableMemory::how}},
      memories);
}

Table use_table(const MemoryEstimate& estimate, const std::vector<MemoryUse>& uses) {
  Table table = table_of<MemoryUse>(
      "Really used",
      {{"run", "run", &MemoryUse::run},
       {"batch", "batch", &MemoryUse::batch},
       {"peak_rss_bytes", "bytes", &MemoryUse::peak_rss_bytes},
       {"peak_rss", "peak memory", [](auto& r) { return format_bytes(r.peak_rss_bytes); }},
       {"device_bytes", "bytes on the device", &MemoryUse::device_bytes},
       {"device", "on the device", [](auto& r) { return cell_if(r.device_bytes, format_bytes); }},
       {"estimate", "estimate", [&](auto&) { return format_bytes(estimate.total()); }}},
      uses);
  table.notes.push_back(
      uses.empty() ? "no stored run of this program has this batch; --measure runs 3 laps now"
                   : "peak memory is that of the whole process: framework, data set and all");
  return table;
}

}  // namespace

std::vector<UsableMemory> usable_memories(const MachineDescription& machine) {
  std::vector<UsableMemory> memories;
  const auto limit = machine.memory_limit_bytes.value_or(machine.memory_bytes);
  if (limit < machine.memory_bytes)
    memories.push_back({"this machine", limit, "limit of the cgroup"});
  else if (machine.memory_bytes > 0)
    memories.push_back({"this machine", machine.memory_bytes, "all of its memory"});
  if (machine.available_memory_bytes > 0 && machine.available_memory_bytes < limit)
    memories.push_back({"this machine, now", machine.available_memory_bytes, "available just now"});
  for (const Accelerator& accelerator : machine.accelerators)
    if (accelerator.memory_bytes > 0 &&
        std::ranges::find(memories, accelerator.model, &UsableMemory::name) == memories.end())
      memories.push_back(
          {accelerator.model, accelerator.memory_bytes, "memory of the accelerator"});
  return memories;
}

std::vector<Table> memory_tables(const NetworkSize& size, const MemoryEstimate& estimate,
                                 const std::vector<UsableMemory>& memories,
                                 const std::vector<MemoryUse>& uses) {
  return {layer_table(size, estimate), total_table(size, estimate), batch_table(estimate, memories),
          use_table(estimate, uses)};
}

}  // namespace lapcast

#include "report/memory_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

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
      "layers", fmt::format("Layers of {}", size.name),
      {{"layer", "layer", &LayerRow::name},
       {"parameters", "parameters", &LayerRow::parameters},
       {"outputs", "outputs a sample", &LayerRow::outputs},
       {"multiply_adds", "multiply-adds a sample", &LayerRow::multiply_adds},
       {"activations_bytes", "a batch", [&](auto& r) { return Bytes{bytes(r)}; }}},
      rows);
}

Table total_table(const NetworkSize& size, const MemoryEstimate& estimate) {
  Table table = figure_table(
      "memory", fmt::format("Memory of {}, batch {}", size.name, estimate.batch),
      {{"workload", "", size.name},
       {"batch", "", cell_of(estimate.batch)},
       {"parameters_bytes", "parameters", Bytes{estimate.parameters},
        fmt::format("{} of 4 bytes", size.parameters)},
       {"gradients_bytes", "gradients", Bytes{estimate.gradients}, "one for each parameter"},
       {"optimizer_state_bytes", "optimizer state", Bytes{estimate.optimizer_state},
        fmt::format("{}: {} of 4 bytes", size.optimizer, size.optimizer_numbers)},
       {"activations_of_a_sample_bytes", "activations of a sample", Bytes{estimate.per_sample},
        "its input and the outputs that are kept"},
       {"activations_bytes", "activations of the batch", Bytes{estimate.activations()},
        fmt::format("{} samples", estimate.batch)},
       {"total_bytes", "training, in all", Bytes{estimate.total()},
        "without the activations of a sample"},
       {"one_sample_bytes", "one sample as [L] counts", Bytes{memory_of_one_sample(size)},
        "parameters, input and outputs"}});
  table.notes.push_back(
      "not in it: the framework itself and its buffers, the data set, gradients of "
      "activations while the backward pass runs");
  return table;
}

Table batch_table(const MemoryEstimate& estimate, const std::vector<UsableMemory>& memories) {
  return table_of<UsableMemory>("largest_batches", "Largest batch by this estimate",
                                {{"memory_of", "memory of", &UsableMemory::name},
                                 {"memory_bytes", "memory", [](auto& r) { return Bytes{r.bytes}; }},
                                 {"largest_batch", "largest batch",
                                  [&](auto& r) { return largest_batch(estimate, r.bytes); }},
                                 {"how", "how it was found", &UsableMemory::how}},
                                memories);
}

Table use_table(const MemoryEstimate& estimate, const std::vector<MemoryUse>& uses) {
  const auto device = [](const MemoryUse& use) {
    return cell_if(use.device_bytes, [](std::int64_t bytes) { return Bytes{bytes}; });
  };
  Table table = table_of<MemoryUse>(
      "memory_used", "Really used",
      {{"run", "run", &MemoryUse::run},
       {"batch", "batch", &MemoryUse::batch},
       {"peak_memory_bytes", "peak memory", [](auto& r) { return Bytes{r.peak_rss_bytes}; }},
       {"peak_device_memory_bytes", "on the device", device},
       {"estimate_bytes", "estimate", [&](auto&) { return Bytes{estimate.total()}; }}},
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

#include "suite/driver/memory_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "core/units.h"

namespace lapcast {
namespace {

struct LayerRow {
  std::string name;
  std::int64_t parameters;
  std::int64_t outputs;
  std::optional<std::int64_t> multiply_adds;
  std::int64_t kept;
  std::int64_t gradients;
};

std::int64_t sum_of(const std::vector<std::int64_t>& bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
}

Table layer_table(const NetworkSize& size, const MemoryEstimate& estimate) {
  std::vector<LayerRow> rows{{"input", 0, size.input_numbers, {}, 4 * size.input_numbers, 0}};
  for (const LayerSize& layer : size.layers)
    rows.push_back({layer.name, layer.parameters, layer.outputs, layer.multiply_adds,
                    sum_of(layer.kept), sum_of(layer.gradients)});
  const auto of_batch = [&](std::int64_t LayerRow::*bytes) {
    return [&estimate, bytes](const LayerRow& row) { return Bytes{row.*bytes * estimate.batch}; };
  };
  return table_of<LayerRow>(
      "layers", fmt::format("Layers of {}", size.name),
      {{"layer", "layer", &LayerRow::name},
       {"parameters", "parameters", &LayerRow::parameters},
       {"outputs", "outputs a sample", &LayerRow::outputs},
       {"multiply_adds", "multiply-adds a sample", &LayerRow::multiply_adds},
       {"kept_bytes", "kept of a batch", of_batch(&LayerRow::kept)},
       {"gradients_bytes", "on the way back", of_batch(&LayerRow::gradients), spare(1)}},
      rows);
}

/// Returns whether more is counted than the program's steps took.
bool disagree(const MemoryEstimate& estimate) {
  return estimate.overcount.value_or(0) > 0;
}

std::string how_framework(const NetworkSize& size, const MemoryEstimate& estimate) {
  if (size.step_samples == 0) return "not measured: the program has no --describe-steps";
  if (disagree(estimate)) return "not known: steps took less than is counted for them";
  return fmt::format("measured now: what steps of {} samples take beyond the above",
                     size.step_samples);
}

Table total_table(const NetworkSize& size, const MemoryEstimate& estimate) {
  Table table = figure_table(
      "memory", fmt::format("Memory of {}, batch {}, at its peak", size.name, estimate.batch),
      {{"workload", "", size.name},
       {"batch", "", cell_of(estimate.batch)},
       {"parameters_bytes", "parameters", Bytes{estimate.parameters},
        fmt::format("{} of 4 bytes", size.parameters)},
       {"gradients_bytes", "their gradients", Bytes{estimate.gradients},
        "those that there are at the peak"},
       {"optimizer_state_bytes", "optimizer state", Bytes{estimate.optimizer_state},
        fmt::format("{}: {} of 4 bytes", size.optimizer, size.optimizer_numbers)},
       {"activations_bytes", "activations", Bytes{estimate.activations},
        "inputs, outputs, masks and places of maxima that the way back needs"},
       {"activation_gradients_bytes", "gradients of activations",
        Bytes{estimate.activation_gradients}, "with what lives within one layer"},
       {"gaps_bytes", "gaps", Bytes{estimate.gaps}, "freed in the step, and too small since"},
       {"framework_bytes", "framework", Bytes{estimate.framework}, how_framework(size, estimate)},
       {"overcount_bytes", disagree(estimate) ? "counted too much" : "",
        cell_if(estimate.overcount, [](std::int64_t bytes) { return Bytes{bytes}; }),
        fmt::format("of {} samples", size.step_samples)},
       {"total_bytes", "training, in all", Bytes{estimate.total()}},
       {"outputs_of_a_sample_bytes", "one sample's input and outputs",
        Bytes{outputs_of_a_sample(size)}},
       {"one_sample_bytes", "one sample as [L] counts", Bytes{memory_of_one_sample(size)},
        "parameters, input and outputs"}});
  table.notes.push_back(
      "not in it: the data set; on a GPU, what the driver and cuDNN take for themselves");
  if (disagree(estimate))
    table.notes.push_back(
        fmt::format("count and measurement disagree on this machine: steps of {} samples took {} "
                    "less than is counted for them, so the estimate is too high and the largest "
                    "batches too small; --measure shows what a run takes",
                    size.step_samples, format_bytes(*estimate.overcount)));
  return table;
}

Table batch_table(const NetworkSize& size, const std::vector<UsableMemory>& memories) {
  return table_of<UsableMemory>(
      "largest_batches", "Largest batch by this estimate",
      {{"memory_of", "memory of", &UsableMemory::name},
       {"memory_bytes", "memory", [](auto& r) { return Bytes{r.bytes}; }},
       {"largest_batch", "largest batch",
        [&](auto& r) { return largest_batch(size, r.bytes, r.on_device); }},
       {"how", "how it was found", &UsableMemory::how}},
      memories);
}

/// Returns how much memory another sample in a batch takes, near `batch`.
std::int64_t bytes_of_another_sample(const NetworkSize& size, std::int64_t batch) {
  return (estimate_memory(size, 2 * batch).counted() - estimate_memory(size, batch).counted()) /
         batch;
}

Table limit_table(const NetworkSize& size, const std::vector<PaperMemoryLimit>& limits) {
  const auto fixed = 8 * size.parameters + 4 * size.optimizer_numbers;
  Table table = table_of<PaperMemoryLimit>(
      "memory_limits", "A batch that the paper found too large",
      {{"device", "device", &PaperMemoryLimit::device},
       {"memory_bytes", "memory",
        [](auto& r) { return Bytes{static_cast<std::int64_t>(r.bytes)}; }},
       {"batch", "too large", &PaperMemoryLimit::batch},
       {"bytes_of_a_sample", "a sample then takes",
        [&](auto& r) { return Bytes{(static_cast<std::int64_t>(r.bytes) - fixed) / r.batch}; }},
       {"largest_batch", "largest by the estimate",
        [&](auto& r) { return largest_batch(size, static_cast<std::int64_t>(r.bytes), true); }},
       {"estimated_bytes_of_a_sample", "a sample by the estimate",
        [&](auto& r) { return Bytes{bytes_of_another_sample(size, r.batch)}; }}},
      limits);
  table.only_json = limits.empty();
  if (!limits.empty())
    table.notes.push_back(
        "why a sample took that much more in the paper is not known: it prints neither which "
        "tensors its TensorFlow kept nor how much cuDNN took as workspace");
  return table;
}

Table use_table(const MemoryEstimate& estimate, const std::vector<MemoryUse>& uses) {
  const auto device = [](const MemoryUse& use) {
    return cell_if(use.device_bytes, [](std::int64_t bytes) { return Bytes{bytes}; });
  };
  const auto training = [](const MemoryUse& use) {
    return cell_if(use.training_bytes(), [](std::int64_t bytes) { return Bytes{bytes}; });
  };
  const auto error = [&](const MemoryUse& use) {
    return cell_if(use.training_bytes(), [&](std::int64_t bytes) {
      return Percentage{static_cast<double>(estimate.total()) / static_cast<double>(bytes) - 1};
    });
  };
  Table table = table_of<MemoryUse>(
      "memory_used", "Really used",
      {{"run", "run", &MemoryUse::run},
       {"batch", "batch", &MemoryUse::batch},
       {"peak_memory_bytes", "peak memory", [](auto& r) { return Bytes{r.peak_rss_bytes}; }},
       {"peak_device_memory_bytes", "on the device", device, kOptional},
       {"training_bytes", "by the training", training},
       {"estimate_bytes", "estimate", [&](auto&) { return Bytes{estimate.total()}; }},
       {"error", "error", error}},
      uses);
  table.notes.push_back(
      uses.empty() ? "no stored run of this program has this batch; --measure runs 3 laps now"
                   : "peak memory: of the whole process; by the training: above that before the "
                     "network was built");
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
          {accelerator.model, accelerator.memory_bytes, "memory of the accelerator", true});
  return memories;
}

std::vector<Table> memory_tables(const NetworkSize& size, const MemoryEstimate& estimate,
                                 const std::vector<UsableMemory>& memories,
                                 const std::vector<MemoryUse>& uses,
                                 const std::vector<PaperMemoryLimit>& limits) {
  return {layer_table(size, estimate), total_table(size, estimate), batch_table(size, memories),
          limit_table(size, limits), use_table(estimate, uses)};
}

}  // namespace lapcast

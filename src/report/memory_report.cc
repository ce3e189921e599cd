#include "report/memory_report.h"

#include <fmt/format.h>

#include "core/units.h"

namespace lapcast {
namespace {

/// People see KiB and MiB, machines get bytes.
Table byte_table(std::string title, std::vector<Column> columns) {
  return {std::move(title), {}, std::move(columns), {}, {}};
}

Table layer_table(const NetworkSize& size, const MemoryEstimate& estimate) {
  Table table = byte_table(fmt::format("Layers of {}", size.name),
                           {{"layer", "layer"},
                            {"parameters", "parameters"},
                            {"outputs", "outputs a sample"},
                            {"multiply_adds", "multiply-adds a sample"},
                            {"activations_bytes", "bytes a batch"},
                            {"activations", "a batch"}});
  const auto add = [&](const std::string& name, std::int64_t parameters, std::int64_t outputs,
                       Cell multiply_adds) {
    const std::int64_t bytes = 4 * outputs * estimate.batch;
    table.rows.push_back(
        {name, parameters, outputs, std::move(multiply_adds), bytes, format_bytes(bytes)});
  };
  add("input", 0, size.input_numbers, {});
  for (const LayerSize& layer : size.layers)
    add(layer.name, layer.parameters, layer.outputs, layer.multiply_adds);
  return table;
}

Table total_table(const NetworkSize& size, const MemoryEstimate& estimate) {
  Table table = byte_table(
      fmt::format("Memory of {}, batch {}", size.name, estimate.batch),
      {{"part", "part"}, {"bytes", "bytes"}, {"memory", "memory"}, {"how", "how"}});
  const auto add = [&](const char* part, std::int64_t bytes, std::string how) {
    table.rows.push_back({std::string(part), bytes, format_bytes(bytes), std::move(how)});
  };
  add("parameters", estimate.parameters, fmt::format("{} of 4 bytes", size.parameters));
  add("gradients", estimate.gradients, "one for each parameter");
  add("optimizer state", estimate.optimizer_state,
      fmt::format("{}: {} of 4 bytes", size.optimizer, size.optimizer_numbers));
  add("activations of a sample", estimate.per_sample, "its input and the outputs that are kept");
  add("activations of the batch", estimate.activations(),
      fmt::format("{} samples", estimate.batch));
  add("training, in all", estimate.total(), "without the activations of a sample");
  add("one sample as [L] counts", memory_of_one_sample(size), "parameters, input and outputs");
  table.notes.push_back("not in it: the framework itself and its buffers, the data set, gradients of "
                        "activations while the backward pass runs");
  return table;
}

Table batch_table(const MemoryEstimate& estimate, const std::vector<MemoryPlace>& places) {
  Table table = byte_table("Largest batch by this estimate", {{"memory_of", "memory of"},
                                                              {"memory_bytes", "bytes"},
                                                              {"memory", "memory"},
                                                              {"largest_batch", "largest batch"},
                                                              {"how", "how it was found"}});
  for (const MemoryPlace& place : places)
    table.rows.push_back({place.name, place.bytes, format_bytes(place.bytes),
                          largest_batch(estimate, place.bytes), place.how});
  return table;
}

Table use_table(const MemoryEstimate& estimate, const std::vector<MemoryUse>& uses) {
  Table table = byte_table("Really used", {{"run", "run"},
                                           {"batch", "batch"},
                                           {"peak_rss_bytes", "bytes"},
                                           {"peak_rss", "peak memory"},
                                           {"device_bytes", "bytes on the device"},
                                           {"device", "on the device"},
                                           {"estimate", "estimate"}});
  for (const MemoryUse& use : uses) {
    const bool device = use.device_bytes > 0;
    table.rows.push_back({use.run, use.batch, use.peak_rss_bytes, format_bytes(use.peak_rss_bytes),
                          device ? Cell(use.device_bytes) : Cell(),
                          device ? Cell(format_bytes(use.device_bytes)) : Cell(),
                          format_bytes(estimate.total())});
  }
  table.notes.push_back(
      uses.empty() ? "no stored run of this program has this batch; --measure runs 3 laps now"
                   : "peak memory is that of the whole process: framework, data set and all");
  return table;
}

}  // namespace

std::vector<Table> memory_tables(const NetworkSize& size, const MemoryEstimate& estimate,
                                 const std::vector<MemoryPlace>& places,
                                 const std::vector<MemoryUse>& uses) {
  return {layer_table(size, estimate), total_table(size, estimate), batch_table(estimate, places),
          use_table(estimate, uses)};
}

}  // namespace lapcast

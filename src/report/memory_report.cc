#include "report/memory_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <variant>

#include "core/units.h"
#include "run/secrets.h"

namespace lapcast {
namespace {

constexpr std::string_view kMemoryBefore = "memory_before_network";  // metric of the programs
// How far beyond the measured batches ./bench suite-memory checks lines.
constexpr std::int64_t kCheckedTimes = 4;

Bytes bytes_of(double bytes) {
  return {std::llround(bytes)};
}

Cell bytes_if(const std::optional<std::int64_t>& bytes) {
  return cell_if(bytes, [](std::int64_t count) { return Bytes{count}; });
}

/// Returns the memory of the training: the peak minus what was resident before the network.
std::optional<std::int64_t> training_bytes(const MemoryUse& use) {
  if (!use.before_bytes || !use.peak_rss_bytes || *use.before_bytes >= *use.peak_rss_bytes)
    return std::nullopt;
  return *use.peak_rss_bytes - *use.before_bytes;
}

MemoryMeter meter_of(bool on_device) {
  return on_device ? MemoryMeter::allocator : MemoryMeter::process;
}

Table use_table(const MemoryByBatch& memory, bool on_device, const Result<MemoryLine>& line) {
  const auto by_line = [&](const MemoryUse& use) {
    return cell_if(line,
                   [&](const MemoryLine& known) { return bytes_of(known.at(use.batch).mid); });
  };
  const auto error = [&](const MemoryUse& use) -> Cell {
    const auto peak = use.peak(meter_of(on_device));
    if (!line || !peak) return {};
    return Percentage{line->at(use.batch).mid / static_cast<double>(*peak) - 1};
  };
  Table table = table_of<MemoryUse>(
      "memory_used", fmt::format("Peak of memory of {} by batch", memory.name),
      {{"run", "run", [](auto& use) { return text_cell(use.run); }},
       {"batch", "batch", &MemoryUse::batch},
       {"peak_memory_bytes", "peak memory", [](auto& use) { return bytes_if(use.peak_rss_bytes); }},
       {"peak_device_memory_bytes", "on the device",
        [](auto& use) { return bytes_if(use.device_bytes); }, kOptional},
       {"training_bytes", "by the training",
        [](auto& use) { return bytes_if(training_bytes(use)); }, kOptional},
       {"estimate_bytes", "by the line", by_line},
       {"error", "error", error},
       {"reason", "remark", [](auto& use) { return text_cell(use.reason); }, kOptional}},
      memory.uses);
  if (!line) table.notes.push_back("no line: " + line.error().text);
  return table;
}

Table line_table(const MemoryByBatch& memory, bool on_device, const Result<MemoryLine>& line) {
  Table table = figure_table(
      "memory", "Line through the peaks",
      {{"workload", "", memory.name}, {"memory_of", "memory", on_device ? "device" : "host"}});
  const auto add = [&](const char* key, const char* name,
                       const std::optional<Interval<double>>& bytes) {
    table.figures.push_back({key, "", cell_of(bytes)});
    if (!bytes) return;
    table.figures.push_back(
        {"", name, bytes_of(bytes->mid),
         fmt::format("{} to {} (95 %)", format_bytes(bytes_of(bytes->low).count),
                     format_bytes(bytes_of(bytes->high).count))});
  };
  const auto known = [&](auto value) { return line ? std::optional(value(*line)) : std::nullopt; };
  add("fixed_bytes", "whatever the batch", known([](auto& its) { return its.at(0); }));
  add("bytes_of_a_sample", "each sample", known([](auto& its) { return its.of_a_sample(); }));
  return table;
}

struct ForecastPeak {
  std::int64_t batch = 0;
  Interval<double> bytes;
};

Table forecast_table(const Result<MemoryLine>& line, const std::vector<std::int64_t>& batches) {
  std::vector<ForecastPeak> rows;
  if (line)
    for (const std::int64_t batch : batches) rows.push_back({batch, line->at(batch)});
  Table table =
      table_of<ForecastPeak>("memory_forecast", "Peak at other batches",
                             {{"batch", "batch", &ForecastPeak::batch},
                              {"estimate_bytes", "", &ForecastPeak::bytes},
                              {"", "peak", [](auto& row) { return bytes_of(row.bytes.mid); }},
                              {"", "at least", [](auto& row) { return bytes_of(row.bytes.low); }},
                              {"", "at most", [](auto& row) { return bytes_of(row.bytes.high); }}},
                             rows);
  table.only_json = rows.empty();
  return table;
}

struct LargestBatch {
  UsableMemory memory;
  std::int64_t batch = 0;
};

Table batch_table(const MemoryByBatch& memory, bool on_device, const Result<MemoryLine>& line,
                  const std::vector<UsableMemory>& memories) {
  std::vector<LargestBatch> rows;
  for (const UsableMemory& usable : memories)
    if (line && usable.on_device == on_device)
      rows.push_back({usable, line->largest_batch(usable.bytes)});
  Table table = table_of<LargestBatch>(
      "largest_batches", "Largest batch that fits",
      {{"memory_of", "memory of", [](auto& row) { return row.memory.name; }},
       {"memory_bytes", "memory", [](auto& row) { return Bytes{row.memory.bytes}; }},
       {"largest_batch", "largest batch", &LargestBatch::batch},
       {"how", "how it was found", [](auto& row) { return row.memory.how; }}},
      rows);
  std::int64_t measured = 0;
  for (const MemoryUse& use : memory.uses)
    if (use.peak_rss_bytes) measured = std::max(measured, use.batch);
  if (std::ranges::any_of(rows, [&](auto& row) { return row.batch > kCheckedTimes * measured; }))
    table.notes.push_back(
        fmt::format("lines were checked up to {} times the largest measured batch only: measure "
                    "larger ones with --batch",
                    kCheckedTimes));
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

Result<MemoryUse> memory_use_of(const Run& run, std::int64_t batch, bool on_device) {
  if (!std::holds_alternative<outcome::Ended>(run.outcome)) return because(shown_outcome(run));
  const auto log = laps_of(run);
  const bool is_whole =
      std::ranges::any_of(log->laps, [&](const Lap& lap) { return lap.samples == batch; });
  if (!is_whole)
    return because(
        fmt::format("none of its laps had {} samples: the training set is smaller", batch));
  if (run.usage.peak_rss_bytes <= 0) return because("its memory is not known");
  MemoryUse use{.batch = batch, .run = run.context.id, .peak_rss_bytes = run.usage.peak_rss_bytes};
  if (log->device_memory_bytes > 0) use.device_bytes = log->device_memory_bytes;
  if (on_device && !use.device_bytes)
    return because("it did not report the memory of its device: LibTorch 2.9 or newer tells it");
  const auto before = std::ranges::find(log->metrics, kMemoryBefore, &MetricPoint::name);
  if (before != log->metrics.end() && before->value >= 0 && before->value < 1e18)
    use.before_bytes = static_cast<std::int64_t>(before->value);
  return use;
}

std::vector<Table> memory_tables(const MemoryByBatch& memory, bool on_device,
                                 const std::vector<std::int64_t>& batches,
                                 const std::vector<UsableMemory>& memories) {
  const Result<MemoryLine> line = memory.line(meter_of(on_device));
  return {use_table(memory, on_device, line), line_table(memory, on_device, line),
          forecast_table(line, batches), batch_table(memory, on_device, line, memories)};
}

}  // namespace lapcast

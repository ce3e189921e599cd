#include "report/gpu_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "energy/counted_power.h"
#include "energy/power_series.h"
#include "table/plot.h"

namespace lapcast {
namespace {

constexpr std::size_t kSeriesColumns = 24;
constexpr std::size_t kMostNamed = 4;

/// Returns a share of the GPU's use; an empty cell if no sample has the GPU's use.
Cell share_of(const GpuUse& use, double share) {
  return use.samples > 0 ? Cell(Percentage{share}) : Cell();
}

Cell size_of(const std::optional<std::int64_t>& bytes) {
  return bytes ? Cell(Bytes{*bytes}) : Cell();
}

/// Holds the mean power in W of a part of a run.
struct PowerRow {
  std::string part;
  Seconds time{0};
  std::optional<double> gpu_watts, cpu_watts;
};

Cell watts_cell(const std::optional<double>& watts) {
  return watts ? Cell(Number{*watts, 0}) : Cell();
}

Cell kwh_cell(const std::optional<double>& watts, Seconds time) {
  return watts ? Cell(Number{*watts * time.count() / kJoulesPerKwh, -1}) : Cell();
}

}  // namespace

Table gpu_table(std::span<const GpuUse> uses, const std::string& idle, bool ascii) {
  Table table = table_of<GpuUse, std::span<const GpuUse>>(
      "gpus", "GPUs, in the training after the first lap",
      {{"gpu", "GPU", &GpuUse::number},
       {"mean_busy", "busy", [](auto& use) { return share_of(use, use.mean_busy); }},
       {"peak_busy", "at most", [](auto& use) { return share_of(use, use.peak_busy); }},
       {"idle_share", "idle", [](auto& use) { return share_of(use, use.idle_share); }},
       {"samples", "samples", &GpuUse::samples, spare(1)},
       {"idle", "", [](auto& use) { return was_idle(use); }},
       {"peak_memory_bytes", "memory, most",
        [](auto& use) { return size_of(use.peak_memory_bytes); }},
       {"memory_bytes", "of", [](auto& use) { return size_of(use.memory_bytes); }},
       {"used_by_program", "program on it", [](auto& use) { return Mark{use.used_by_program}; },
        spare(3)},
       {"", "busy over time",
        [&](auto& use) { return text_cell(drawn_series(use.busy, kSeriesColumns, ascii)); },
        kOptional | spare(2)}},
      uses);
  if (std::ranges::any_of(uses, &GpuUse::with_first_lap))
    table.title = "GPUs, in the training with its first lap";
  if (!idle.empty()) table.warnings.push_back(idle);
  return table;
}

std::string describe(const GpuSetUp& gpu) {
  std::vector<std::string> parts;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) parts.push_back(name + value);
  };
  if (gpu.power_limit_mw > 0)
    parts.push_back(fmt::format("limit {} W", (gpu.power_limit_mw + 500) / 1000));
  if (gpu.top_clock_mhz > 0) parts.push_back(fmt::format("top clock {} MHz", gpu.top_clock_mhz));
  add("ECC ", gpu.ecc);
  add("MIG ", gpu.mig);
  add("PCIe ", gpu.pcie);
  add("", gpu.compute_mode);
  return fmt::format("{}", fmt::join(parts, ", "));
}

Table gpu_set_up_table(const MachineDescription& machine) {
  std::vector<std::pair<std::int64_t, const Accelerator*>> gpus;
  for (const Accelerator& gpu : machine.accelerators)
    if (gpu.set_up) gpus.emplace_back(&gpu - machine.accelerators.data(), &gpu);
  const auto text = [](auto member) {
    return [member](const auto& row) { return text_cell((*row.second->set_up).*member); };
  };
  return table_of<std::pair<std::int64_t, const Accelerator*>>(
      "gpu_set_up", "GPUs of the machine",
      {{"gpu", "GPU", [](auto& row) { return row.first; }},
       {"model", "model", [](auto& row) { return text_cell(row.second->model); }},
       {"driver", "driver", [](auto& row) { return text_cell(row.second->driver); }},
       {"cuda", "CUDA", [](auto& row) { return text_cell(row.second->cuda); },
        kOptional | spare(3)},
       {"power_limit_w", "limit W",
        [](auto& row) {
          const auto milliwatts = static_cast<double>(row.second->set_up->power_limit_mw);
          return milliwatts > 0 ? Cell(Number{milliwatts / 1000, 0}) : Cell();
        },
        kOptional},
       {"top_clock_mhz", "top MHz",
        [](auto& row) {
          const std::int64_t clock = row.second->set_up->top_clock_mhz;
          return clock > 0 ? Cell(clock) : Cell();
        },
        kOptional},
       {"ecc", "ECC", text(&GpuSetUp::ecc), kOptional},
       {"mig", "MIG", text(&GpuSetUp::mig), kOptional},
       {"pcie", "PCIe", text(&GpuSetUp::pcie), kOptional | spare(1)},
       {"compute_mode", "mode", text(&GpuSetUp::compute_mode), kOptional | spare(2)}},
      gpus);
}

Table power_table(const LapLog& log) {
  std::vector<PowerRow> rows;
  if (const auto idle = idle_power_of(log))
    rows.push_back({"idle GPUs", Seconds{idle->seconds}, idle->watts, std::nullopt});
  if (const auto start = start_up_of(log)) {
    const Span laps{start->end_ns, log.laps.back().end_ns};
    for (const auto& [name, span] : {std::pair{"start-up", *start}, std::pair{"training", laps}})
      rows.push_back({name, span.seconds(), mean_watts(log, &LoadSample::gpu_mw, span),
                      mean_watts(log, &LoadSample::cpu_mw, span)});
  }
  std::erase_if(rows, [](const PowerRow& row) { return !row.gpu_watts && !row.cpu_watts; });
  return table_of<PowerRow>(
      "power", "Power by counters",
      {{"part", "part", &PowerRow::part},
       {"time_s", "time", &PowerRow::time},
       {"gpu_w", "GPU W", [](auto& row) { return watts_cell(row.gpu_watts); }, kOptional},
       {"gpu_kwh", "GPU kWh", [](auto& row) { return kwh_cell(row.gpu_watts, row.time); },
        kOptional},
       {"cpu_w", "CPU W", [](auto& row) { return watts_cell(row.cpu_watts); }, kOptional},
       {"cpu_kwh", "CPU kWh", [](auto& row) { return kwh_cell(row.cpu_watts, row.time); },
        kOptional}},
      rows);
}

std::string busy_text(std::span<const GpuSample> newest) {
  std::vector<std::int64_t> busy;
  for (const GpuSample& gpu : newest)
    if (gpu.busy_percent) busy.push_back(*gpu.busy_percent);
  if (busy.empty()) return {};
  if (busy.size() > kMostNamed) {
    const auto [least, most] = std::ranges::minmax(busy);
    const auto mean = std::accumulate(busy.begin(), busy.end(), std::int64_t{0}) / std::ssize(busy);
    return fmt::format(", GPUs {} % ({}-{})", mean, least, most);
  }
  std::string text = busy.size() == 1 ? ", GPU" : ", GPUs";
  for (const std::int64_t percent : busy) text += fmt::format(" {} %", percent);
  return text;
}

}  // namespace lapcast

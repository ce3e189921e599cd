#include "report/gpu_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <vector>

#include "report/plot.h"

namespace lapcast {
namespace {

constexpr std::size_t kSeriesColumns = 24;
constexpr std::size_t kMostNamed = 4;

/// Returns a column of a share that is not known where no sample tells how busy the GPU was.
Cell share_of(const GpuUse& use, double share) {
  return use.samples > 0 ? Cell(Percentage{share}) : Cell();
}

Cell size_of(const std::optional<std::int64_t>& bytes) {
  return bytes ? Cell(Bytes{*bytes}) : Cell();
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
  if (!idle.empty()) table.notes.push_back("warning: " + idle);
  return table;
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

#include "campaign/held_memory.h"

#include <algorithm>

namespace lapcast {
namespace {

constexpr double kMostOfHost = 0.5;  // share of a machine's memory for suspended programs

struct Sum {
  std::int64_t total_bytes = 0;
  double held = 0;
  double largest = 0;

  void add(const HeldMemory::Part& part) {
    total_bytes = std::max(total_bytes, part.total_bytes);
    held += static_cast<double>(part.bytes);
    largest = std::max(largest, static_cast<double>(part.bytes));
  }
  bool is_below(double bytes, double share) const {
    return total_bytes <= 0 || bytes <= share * static_cast<double>(total_bytes);
  }
};

}  // namespace

HeldMemory held_memory_of(const Run& so_far) {
  const auto log = laps_of(so_far);
  HeldMemory held{.host = {so_far.usage.peak_rss_bytes, so_far.context.machine.memory_bytes}};
  for (const GpuSample& sample : log->gpus) {
    if (sample.program.value_or(0) == 0) continue;
    HeldMemory::Part& part = held.gpus[sample.number];
    part.bytes = std::max(part.bytes, sample.program_bytes.value_or(log->device_memory_bytes));
    part.total_bytes = sample.memory_total_bytes.value_or(part.total_bytes);
    held.is_exclusive = held.is_exclusive || sample.exclusive.value_or(0) > 0;
  }
  const auto& gpus = so_far.context.machine.accelerators;
  if (held.gpus.empty() && log->device_memory_bytes > 0 && !gpus.empty())
    held.gpus[0] = {log->device_memory_bytes, gpus.front().memory_bytes};
  return held;
}

bool fit_on_gpus(std::span<const HeldMemory* const> held) {
  std::map<std::int64_t, Sum> gpus;
  for (const HeldMemory* one : held) {
    if (one->is_exclusive) return false;
    for (const auto& [number, part] : one->gpus) gpus[number].add(part);
  }
  return std::ranges::all_of(gpus, [](const auto& gpu) {
    return gpu.second.is_below(gpu.second.held + gpu.second.largest, 1);
  });
}

bool fit_beside_others(std::span<const HeldMemory* const> held) {
  Sum host;
  for (const HeldMemory* one : held) host.add(one->host);
  return host.is_below(host.held, kMostOfHost) && fit_on_gpus(held);
}

bool is_crowded_out(const Run& run, std::span<const HeldMemory* const> held) {
  return is_out_of_gpu_memory(run.outcome) &&
         std::ranges::any_of(held, [](const HeldMemory* one) { return !one->gpus.empty(); });
}

}  // namespace lapcast

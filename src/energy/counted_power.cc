#include "energy/counted_power.h"

#include <algorithm>
#include <cstdint>
#include <map>

namespace lapcast {
namespace {

constexpr double kLeastCovered = 0.5;  // share of a stretch
constexpr double kMilli = 1e-3;

/// Returns for the time of each sample whether a process was on a GPU, or a GPU was busy.
std::map<std::int64_t, bool> use_by_time(const LapLog& log) {
  std::map<std::int64_t, bool> used;
  for (const GpuSample& gpu : log.gpus) {
    bool& any = used[gpu.at_ns];
    any = any || gpu.program.value_or(0) > 0 || gpu.busy_percent.value_or(1) > 0;
  }
  return used;
}

}  // namespace

std::optional<double> mean_watts(const LapLog& log, LoadSample::Field LoadSample::*milliwatts,
                                 const Span& stretch) {
  double joules = 0;
  double covered = 0;
  for (const LoadSample& load : log.loads) {
    const std::int64_t begin = std::max(stretch.begin_ns, load.at_ns - load.span_ns);
    const std::int64_t end = std::min(stretch.end_ns, load.at_ns);
    if (!(load.*milliwatts) || end <= begin) continue;
    const double seconds = from_ns(end - begin).count();
    covered += seconds;
    joules += seconds * static_cast<double>(*(load.*milliwatts)) * kMilli;
  }
  if (covered <= 0 || covered < kLeastCovered * stretch.seconds().count()) return std::nullopt;
  return joules / covered;
}

std::optional<Span> start_up_of(const LapLog& log) {
  if (log.laps.empty()) return std::nullopt;
  return Span{0, log.laps.front().begin_ns};
}

std::optional<IdlePower> idle_power_of(const LapLog& log) {
  const auto names_program = [](const GpuSample& gpu) { return gpu.program.value_or(0) > 0; };
  if (std::ranges::none_of(log.gpus, names_program)) return std::nullopt;
  const std::map<std::int64_t, bool> used = use_by_time(log);
  IdlePower idle;
  for (const LoadSample& load : log.loads) {
    const auto at = used.find(load.at_ns);
    if (at == used.end() || at->second || load.gpu_others.value_or(1) > 0 || !load.gpu_mw) continue;
    const double seconds = from_ns(load.span_ns).count();
    idle.watts += seconds * static_cast<double>(*load.gpu_mw) * kMilli;
    idle.seconds += seconds;
  }
  if (idle.seconds <= 0) return std::nullopt;
  idle.watts /= idle.seconds;
  return idle;
}

}  // namespace lapcast

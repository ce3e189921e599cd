#include "history/linear_expectation.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "stats/intervals.h"
#include "stats/summary.h"
#include "stats/two_samples.h"

namespace lapcast {
namespace {

double usable_cores(const RunContext& context) {
  const MachineDescription& machine = context.machine;
  const std::vector<int>& own = context.machine_type.cpus;
  auto cores = static_cast<double>(own.empty() ? machine.allowed_cpus.size() : own.size());
  if (machine.cores > 0) cores = std::min(cores, static_cast<double>(machine.cores));
  for (const auto& limit : {machine.cpu_limit, context.machine_type.cpu_quota})
    cores = std::min(cores, limit.value_or(cores));
  return cores;
}

bool used_an_accelerator(const Run& run) {
  const auto device = run.context.settings.find("device");
  return (device != run.context.settings.end() && device->second != "cpu") ||
         laps_of(run)->device_memory_bytes > 0;
}

}  // namespace

std::optional<double> cores_times_clock(std::span<const Run> runs) {
  if (runs.empty() || used_an_accelerator(runs.front())) return std::nullopt;
  double sum = 0;
  for (const Run& run : runs) {
    const double capacity = usable_cores(run.context) * run.context.machine.max_clock_ghz;
    if (!(capacity > 0)) return std::nullopt;
    sum += capacity;
  }
  return sum / static_cast<double>(runs.size());
}

std::optional<LinearExpectation> linear_expectation(std::span<const double> first,
                                                    std::optional<double> first_capacity,
                                                    std::span<const double> times,
                                                    std::optional<double> capacity) {
  const auto gain = speed_up(first, times);
  if (!gain || !(gain->low > 0) || !first_capacity || !capacity) return std::nullopt;
  const double factor = *first_capacity / *capacity;
  const Interval<double> time =
      first.size() > 1
          ? cut_to_range(mean_interval(first), 0, std::numeric_limits<double>::infinity())
          : Interval<double>::exactly(mean(first));
  return LinearExpectation{
      {time.low * factor, time.mid * factor, time.high * factor},
      {1 / (gain->high * factor), 1 / (gain->mid * factor), 1 / (gain->low * factor)}};
}

}  // namespace lapcast

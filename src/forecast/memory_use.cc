#include "forecast/memory_use.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/units.h"
#include "forecast/paused_time.h"

namespace lapcast {
namespace {

constexpr std::size_t kLeastMemorySamples = 9;
constexpr std::size_t kLeastLapsOfGrowth = 30;
constexpr double kGrows = 1.005;      // from one third to the next
constexpr double kMoreInLaps = 1.02;  // of the laps: what a validation takes above is worth saying
constexpr double kSoonFull = 10'000;  // times what was observed: later than that nobody cares

using MemorySamples = std::vector<MemorySample>;

std::int64_t most_of(std::span<const MemorySample> samples) {
  std::int64_t most = 0;
  for (const MemorySample& sample : samples) most = std::max(most, sample.bytes);
  return most;
}

bool lies_within(const MemorySample& sample, const Span& span) {
  return sample.at_ns >= span.begin_ns && sample.at_ns <= span.end_ns;
}

MemorySamples samples_within(std::span<const MemorySample> samples, const Span& span) {
  MemorySamples within;
  for (const MemorySample& sample : samples)
    if (lies_within(sample, span)) within.push_back(sample);
  return within;
}

/// Returns the most within some spans, whose samples it takes out of `in_laps`; absent without any.
std::optional<std::int64_t> take_most(std::span<const Span> spans, const MemorySamples& samples,
                                      MemorySamples& in_laps) {
  std::optional<std::int64_t> most;
  for (const Span& span : spans) {
    const MemorySamples within = samples_within(samples, span);
    if (within.empty()) continue;
    most = std::max(most.value_or(0), most_of(within));
    std::erase_if(in_laps, [&](const MemorySample& sample) { return lies_within(sample, span); });
  }
  return most;
}

/// Fills in what the samples say of the training, of the validations and of the checkpoints.
void take_samples(MeteredMemory& memory, const MemorySamples& samples, const LapLog& log) {
  MemorySamples in_laps;
  if (!log.laps.empty())
    in_laps = samples_within(samples, {log.laps.front().begin_ns, log.laps.back().end_ns});
  std::vector<Span> validations;
  for (const ValidationSpan& validation : log.validations) validations.push_back(validation.span);
  memory.peak_bytes = std::max(memory.peak_bytes, most_of(samples));
  memory.validation_bytes = take_most(validations, samples, in_laps);
  memory.checkpoint_bytes = take_most(checkpoints_of(log), samples, in_laps);
  if (!in_laps.empty()) memory.training_bytes = most_of(in_laps);
  memory.growth = growth_of(in_laps, log.laps);
}

MeteredMemory memory_of_processes(const Run& run, const LapLog& log) {
  const MachineDescription& machine = run.context.machine;
  MeteredMemory memory{.peak_bytes = run.usage.peak_rss_bytes,
                       .memory_bytes = std::min(machine.memory_limit_bytes.value_or(INT64_MAX),
                                                machine.memory_bytes)};
  MemorySamples samples;
  for (const LoadSample& load : log.loads)
    if (load.memory_bytes) samples.push_back({load.at_ns, *load.memory_bytes});
  take_samples(memory, samples, log);
  return memory;
}

/// Returns what the driver said of the GPU that is fullest by the program's own bytes.
std::optional<MeteredMemory> memory_by_driver(const LapLog& log) {
  std::map<std::int64_t, std::pair<MeteredMemory, MemorySamples>> gpus;
  for (const GpuSample& gpu : log.gpus) {
    const GpuSample::Field bytes = gpu.program_bytes ? gpu.program_bytes : gpu.memory_bytes;
    if (gpu.program.value_or(0) == 0 || !bytes) continue;
    auto& [memory, samples] = gpus[gpu.number];
    memory.meter = MemoryMeter::driver;
    memory.memory_bytes = gpu.memory_total_bytes.value_or(memory.memory_bytes);
    memory.peak_bytes = std::max(memory.peak_bytes, *bytes);
    samples.push_back({gpu.at_ns, *bytes});
  }
  if (gpus.empty()) return std::nullopt;
  auto& [memory, samples] = std::ranges::max_element(gpus, {}, [](auto& gpu) {
                              return gpu.second.first.peak_bytes;
                            })->second;
  take_samples(memory, samples, log);
  return memory;
}

}  // namespace

std::string_view to_string(MemoryMeter meter) {
  constexpr std::string_view kNames[] = {"process", "allocator", "driver"};
  return kNames[static_cast<std::size_t>(meter)];
}

std::string_view in_words(MemoryMeter meter) {
  constexpr std::string_view kWords[] = {"main memory", "GPU memory by the program's allocator",
                                         "GPU memory by the driver"};
  return kWords[static_cast<std::size_t>(meter)];
}

std::optional<double> MeteredMemory::share() const {
  if (memory_bytes <= 0) return std::nullopt;
  return static_cast<double>(peak_bytes) / static_cast<double>(memory_bytes);
}

std::optional<MemoryGrowth> growth_of(std::span<const MemorySample> samples,
                                      std::span<const Lap> laps) {
  if (laps.size() < kLeastLapsOfGrowth) return std::nullopt;
  const Span rest{laps[laps.size() / 4].begin_ns, laps.back().end_ns};
  const MemorySamples steady = samples_within(samples, rest);
  if (steady.size() < kLeastMemorySamples) return std::nullopt;
  const std::size_t third = steady.size() / 3;
  const std::span<const MemorySample> all(steady);
  const auto first = static_cast<double>(most_of(all.first(third)));
  const auto second = static_cast<double>(most_of(all.subspan(third, third)));
  const auto last = static_cast<double>(most_of(all.last(third)));
  if (second < kGrows * first || last < kGrows * second) return std::nullopt;
  const double seconds = rest.seconds().count() * 2 / 3;  // between the middles of the thirds
  const double steady_laps = static_cast<double>(laps.size() - laps.size() / 4) * 2 / 3;
  if (seconds <= 0) return std::nullopt;
  return MemoryGrowth{(last - first) / steady_laps, (last - first) / seconds};
}

std::vector<MeteredMemory> memory_of(const Run& run, const LapLog& log) {
  std::vector<MeteredMemory> all;
  if (MeteredMemory memory = memory_of_processes(run, log); memory.peak_bytes > 0)
    all.push_back(std::move(memory));
  const auto by_driver = memory_by_driver(log);
  if (log.device_memory_bytes > 0) {
    const auto& gpus = run.context.machine.accelerators;
    const std::int64_t total = by_driver && by_driver->memory_bytes > 0 ? by_driver->memory_bytes
                               : gpus.empty()                           ? 0
                                                                        : gpus.front().memory_bytes;
    all.push_back({.meter = MemoryMeter::allocator,
                   .peak_bytes = log.device_memory_bytes,
                   .memory_bytes = total});
  }
  if (by_driver) all.push_back(*by_driver);
  return all;
}

std::string describe(const MeteredMemory& memory) {
  std::string text =
      fmt::format("{}: at most {}", in_words(memory.meter), format_bytes(memory.peak_bytes));
  if (const auto share = memory.share())
    text += fmt::format(" of {} ({})", format_bytes(memory.memory_bytes), format_share(*share));
  return text;
}

std::vector<std::string> memory_warnings(std::span<const MeteredMemory> all) {
  std::vector<std::string> warnings;
  for (const MeteredMemory& memory : all) {
    if (memory.share().value_or(0) >= kNearlyFull)
      warnings.push_back(describe(memory) + ": a longer sample or the next validation may not fit");
    const auto free = static_cast<double>(memory.memory_bytes - memory.peak_bytes);
    if (memory.growth && memory.memory_bytes > 0 &&
        free < kSoonFull * memory.growth->bytes_per_lap * kLeastLapsOfGrowth)
      warnings.push_back(fmt::format(
          "{} still grows, by {} a lap: it would be full in {:.0f} laps, {}",
          in_words(memory.meter), format_bytes(std::llround(memory.growth->bytes_per_lap)),
          free / memory.growth->bytes_per_lap,
          format_duration(Seconds(free / memory.growth->bytes_per_second))));
    for (const auto& [what, bytes] : {std::pair("validation", memory.validation_bytes),
                                      std::pair("checkpoint", memory.checkpoint_bytes)})
      if (memory.training_bytes && bytes &&
          static_cast<double>(*bytes) > kMoreInLaps * static_cast<double>(*memory.training_bytes))
        warnings.push_back(
            fmt::format("{}s take {} of {}, the laps {}: what fits in the laps may not fit in a {}",
                        what, format_bytes(*bytes), in_words(memory.meter),
                        format_bytes(*memory.training_bytes), what));
  }
  return warnings;
}

}  // namespace lapcast

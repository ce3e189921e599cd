#include "extrapolate/memory_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>
#include <utility>

#include "run/command_arguments.h"
#include "run/secrets.h"
#include "run/settings.h"

namespace lapcast {
namespace {

constexpr const char* kBatchSetting = "batch";

struct RunBatch {
  std::int64_t batch = 0;  // 0 = not known
  std::vector<std::string> program;
};

/// Returns the samples of the most laps of one process.
std::int64_t usual_samples(const LapLog& log) {
  std::map<std::int32_t, std::size_t> counts;
  for (const Lap& lap : log.laps) ++counts[lap.samples];
  if (counts.empty()) return 0;
  const auto usual = std::ranges::max_element(counts, {}, [](auto& entry) { return entry.second; });
  return usual->first / std::max(1, log.hello ? log.hello->world_size : 1);
}

/// Returns the batch of a run, and its program without it.
RunBatch batch_in(const Run& run, const LapLog& log) {
  RunBatch known{.program = filled_program(run.context)};
  if (const auto setting = run.context.settings.find(kBatchSetting);
      setting != run.context.settings.end()) {
    const std::string& text = setting->second;
    std::from_chars(text.data(), text.data() + text.size(), known.batch);
    known.program = run.context.program;
  } else if (auto in_command = batch_in_command(known.program)) {
    known = {in_command->samples, std::move(in_command->program)};
  }
  if (known.batch <= 0) known.batch = usual_samples(log);
  known.program = training_arguments(known.program);
  return known;
}

MemoryUse use_of(const Run& run, const LapLog& log, std::int64_t batch,
                 std::span<const MeteredMemory> memories) {
  MemoryUse use{.batch = batch, .run = run.context.id};
  if (!has_laps(run.outcome)) {
    use.reason = shown_outcome(run);
    return use;
  }
  if (std::ranges::none_of(log.laps, [&](const Lap& lap) { return lap.samples >= batch; })) {
    use.reason = fmt::format("none of its laps had {} samples: the training set is smaller", batch);
    return use;
  }
  for (const MeteredMemory& memory : memories) {
    if (memory.meter == MemoryMeter::process) use.peak_rss_bytes = memory.peak_bytes;
    if (memory.meter == MemoryMeter::allocator) use.device_bytes = memory.peak_bytes;
    if (memory.meter == MemoryMeter::driver) use.driver_bytes = memory.peak_bytes;
  }
  return use;
}

std::string name_without_batch(RunContext context) {
  context.settings.erase(kBatchSetting);
  const std::string settings = settings_text(context);
  return context.machine_type.name + (settings.empty() ? "" : " " + settings);
}

}  // namespace

std::optional<std::int64_t> MemoryUse::peak(MemoryMeter meter) const {
  if (meter == MemoryMeter::process) return peak_rss_bytes;
  return meter == MemoryMeter::allocator ? device_bytes : driver_bytes;
}

Result<MemoryLine> MemoryByBatch::line(MemoryMeter meter, double hidden_line) const {
  std::vector<MemoryPeak> peaks;
  for (const MemoryUse& use : uses)
    if (const auto peak = use.peak(meter)) peaks.push_back({use.batch, *peak});
  return MemoryLine::through(peaks, hidden_line);
}

bool MemoryByBatch::on_device() const {
  return std::ranges::any_of(
      uses, [](const MemoryUse& use) { return use.device_bytes || use.driver_bytes; });
}

std::vector<MemoryByBatch> memory_by_batch(std::span<const Run> runs) {
  using Key = std::tuple<std::vector<std::string>, std::string, int>;
  std::map<Key, std::size_t> places;
  std::vector<MemoryByBatch> all;
  for (const Run& run : runs) {
    if (was_imported(run.context)) continue;
    const auto log = laps_of(run);
    const RunBatch known = batch_in(run, *log);
    const int processes = log->hello ? log->hello->world_size : 1;
    if (known.batch <= 0) continue;
    const std::string name = name_without_batch(run.context);
    const auto [place, is_new] = places.insert({{known.program, name, processes}, all.size()});
    if (is_new) all.push_back({.name = name, .processes = processes});
    MemoryByBatch& group = all[place->second];
    const std::vector<MeteredMemory> memories = memory_of(run, *log);
    group.uses.push_back(use_of(run, *log, known.batch, memories));
    for (const MeteredMemory& memory : memories)
      (memory.meter == MemoryMeter::process ? group.main_bytes : group.device_bytes) =
          memory.memory_bytes;
  }
  for (MemoryByBatch& group : all) std::ranges::stable_sort(group.uses, {}, &MemoryUse::batch);
  return all;
}

Result<BatchesThatFit> BatchesThatFit::in(const MemoryByBatch& measured, bool on_device,
                                          std::int64_t bytes, const DriverLimits& limits) {
  const auto decided_by = [&](const MemoryLine& line, MemoryMeter meter, double share) {
    BatchesThatFit fits(line);
    fits.meter_ = meter;
    fits.total_bytes_ = static_cast<double>(bytes);
    fits.usable_bytes_ = share * static_cast<double>(bytes);
    return fits;
  };
  if (!on_device) {
    const auto line = measured.line(MemoryMeter::process);
    if (!line) return tl::unexpected(line.error());
    return decided_by(*line, MemoryMeter::process, kUsableShare);
  }
  if (!measured.on_device())
    return because(
        "no run used a GPU: what a program takes on CPUs says nothing of a GPU's memory");
  const auto allocator = measured.line(MemoryMeter::allocator);
  const auto driver = measured.line(MemoryMeter::driver);
  if (allocator && (!driver || allocator->share_of_batch() >= kClearLine))
    return decided_by(*allocator, MemoryMeter::allocator, kUsableShare);
  if (!driver) return tl::unexpected(driver.error());
  BatchesThatFit fits = decided_by(*driver, MemoryMeter::driver, limits.given_back);
  fits.limits_ = limits;
  for (const MemoryUse& use : measured.uses)
    if (use.driver_bytes &&
        static_cast<double>(*use.driver_bytes) >= limits.full * static_cast<double>(bytes))
      fits.most_batch_ = use.batch;
  return fits;
}

Interval<double> shown_by_driver(const Interval<double>& line, double memory_bytes,
                                 const DriverLimits& limits) {
  const double full = std::min(1.0, limits.full);
  return {std::min(line.low, full * memory_bytes),
          std::min(line.mid, (1 + full) / 2 * memory_bytes), std::min(line.high, memory_bytes)};
}

BatchFit BatchesThatFit::fit(std::int64_t batch) const {
  BatchFit fit{meter_, line_.at(batch), 0};
  if (batch <= most_batch_) fit.chance = line_.chance_below(batch, usable_bytes_);
  if (meter_ == MemoryMeter::driver)
    fit.needed_bytes = shown_by_driver(fit.needed_bytes, total_bytes_, limits_);
  return fit;
}

std::int64_t BatchesThatFit::usable() const {
  return static_cast<std::int64_t>(usable_bytes_);
}

std::int64_t BatchesThatFit::largest() const {
  return std::min(most_batch_, line_.largest_batch(usable()));
}

std::int64_t BatchesThatFit::largest_likely() const {
  std::int64_t low = largest();
  std::int64_t high = kMostBatch + 1;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (line_.at(middle).mid <= usable_bytes_ ? low : high) = middle;
  }
  return std::min(most_batch_, low);
}

}  // namespace lapcast

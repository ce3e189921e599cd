#include "forecast/gpu_use.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/units.h"

namespace lapcast {
namespace {

constexpr std::int64_t kSampleNs = 200'000'000;  // least time of a sample; it is at most a second
constexpr std::int64_t kLeastSamples = 10;
constexpr double kIdleShare = 0.95;
constexpr std::int64_t kLeastOfLimit = 5;  // samples
constexpr double kUnevenBusy = 0.25;       // how much busier one GPU is than each other one
constexpr double kBusyOfLimit = 0.5;       // a GPU that is busy for less does not limit the program

bool lies_in(const std::optional<Span>& training, std::int64_t at_ns) {
  return !training || (at_ns - kSampleNs >= training->begin_ns && at_ns <= training->end_ns);
}

void keep_most(std::optional<std::int64_t>& most, const GpuSample::Field& value) {
  if (value) most = std::max(most.value_or(0), *value);
}

void set_shares(GpuUse& use) {
  use.samples = std::ssize(use.busy);
  if (use.busy.empty()) return;
  const auto samples = static_cast<double>(use.samples);
  for (const double busy : use.busy) use.mean_busy += busy / samples;
  use.peak_busy = std::ranges::max(use.busy);
  use.idle_share = static_cast<double>(std::ranges::count(use.busy, 0.0)) / samples;
}

/// Returns "GPU 1", "GPUs 1, 2 and 3".
std::string names_of(const std::vector<const GpuUse*>& uses) {
  std::vector<std::int64_t> numbers;
  for (const GpuUse* use : uses) numbers.push_back(use->number);
  if (numbers.size() == 1) return fmt::format("GPU {}", numbers.front());
  const std::int64_t last = numbers.back();
  numbers.pop_back();
  return fmt::format("GPUs {} and {}", fmt::join(numbers, ", "), last);
}

/// Returns the GPUs on which the program was seen; all where it was seen on none.
std::vector<const GpuUse*> gpus_of_program(std::span<const GpuUse> uses) {
  const bool any_known = std::ranges::any_of(uses, &GpuUse::used_by_program);
  std::vector<const GpuUse*> own;
  for (const GpuUse& use : uses)
    if (use.used_by_program || !any_known) own.push_back(&use);
  return own;
}

/// Says which of the program's GPUs computes for much longer than each of its others, or nothing.
std::string describe_uneven(std::vector<const GpuUse*> own) {
  std::ranges::sort(own, {}, &GpuUse::mean_busy);
  if (own.size() < 2 || std::ranges::min(own, {}, &GpuUse::samples)->samples < kLeastSamples)
    return {};
  const GpuUse& busiest = *own.back();
  own.pop_back();
  const double next = own.back()->mean_busy;
  std::vector<const GpuUse*> others = own;
  std::ranges::sort(others, {}, &GpuUse::number);
  if (busiest.mean_busy < kBusyOfLimit || busiest.mean_busy < next + kUnevenBusy) return {};
  return fmt::format(
      "GPU {} was busy {} of the training, {} {}{}: where GPUs wait for each other, it is the slow "
      "one",
      busiest.number, format_share(busiest.mean_busy), names_of(others),
      own.size() > 1 ? "at most " : "", format_share(next));
}

}  // namespace

std::vector<GpuUse> use_of_gpus(std::span<const GpuSample> samples,
                                const std::optional<Span>& training) {
  std::map<std::int64_t, GpuUse> by_number;
  for (const GpuSample& sample : samples) {
    GpuUse& use = by_number[sample.number];
    use.number = sample.number;
    keep_most(use.peak_memory_bytes, sample.memory_bytes);
    keep_most(use.memory_bytes, sample.memory_total_bytes);
    use.used_by_program = use.used_by_program || sample.program.value_or(0) > 0;
    if (sample.busy_percent && lies_in(training, sample.at_ns))
      use.busy.push_back(static_cast<double>(*sample.busy_percent) / 100);
  }
  std::vector<GpuUse> uses;
  for (auto& [number, use] : by_number) {
    set_shares(use);
    uses.push_back(std::move(use));
  }
  return uses;
}

std::optional<Span> training_of(const LapLog& log) {
  if (log.laps.empty()) return std::nullopt;
  return Span{log.laps[log.laps.size() > 1 ? 1 : 0].begin_ns, log.laps.back().end_ns};
}

std::vector<GpuUse> use_in_training(const LapLog& log) {
  std::vector<GpuUse> uses = use_of_gpus(log.gpus, training_of(log));
  const auto is_short = [](const GpuUse& use) { return use.samples < kLeastOfLimit; };
  if (log.laps.size() < 2 || std::ranges::none_of(uses, is_short)) return uses;
  uses = use_of_gpus(log.gpus, Span{log.laps.front().begin_ns, log.laps.back().end_ns});
  for (GpuUse& use : uses) use.with_first_lap = true;
  return uses;
}

bool was_idle(const GpuUse& use) {
  return use.samples >= kLeastSamples && use.idle_share >= kIdleShare;
}

std::string describe_idle(std::span<const GpuUse> uses) {
  std::vector<const GpuUse*> idle;
  for (const GpuUse& use : uses)
    if (was_idle(use)) idle.push_back(&use);
  if (uses.size() < 2 || idle.empty()) return {};
  const GpuUse& busiest = **std::ranges::min_element(idle, {}, &GpuUse::idle_share);
  const char* const so = idle.size() < uses.size() ? "a machine with fewer GPUs may cost less"
                                                   : "the program may train on CPUs by mistake";
  return fmt::format("{} {} idle: {} computed nothing in {} of {} samples in the training; {}",
                     names_of(idle), idle.size() == 1 ? "was" : "were",
                     idle.size() == 1 ? "it" : "each", format_share(busiest.idle_share),
                     busiest.samples, so);
}

std::optional<double> busy_share(std::span<const GpuUse> uses) {
  const std::vector<const GpuUse*> own = gpus_of_program(uses);
  if (own.empty()) return std::nullopt;
  double busy = 0;
  for (const GpuUse* use : own) {
    if (use->samples < kLeastOfLimit) return std::nullopt;
    busy += use->mean_busy / static_cast<double>(own.size());
  }
  return busy;
}

std::string describe_use(std::span<const GpuUse> uses) {
  if (std::string idle = describe_idle(uses); !idle.empty()) return idle;
  if (std::string uneven = describe_uneven(gpus_of_program(uses)); !uneven.empty()) return uneven;
  const double busy = busy_share(uses).value_or(0);
  if (busy <= 0 || busy >= kBusyOfLimit) return {};
  return fmt::format(
      "GPU{} busy {} of the training: the program or its data loading is the limit, not the GPU; "
      "a cheaper GPU may be as fast; more loader workers or a larger batch may help",
      gpus_of_program(uses).size() == 1 ? "" : "s", format_share(busy));
}

}  // namespace lapcast

#include "extrapolate/batch_search.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace lapcast {
namespace {

constexpr int kMostStep = 60;     // a batch of 2^30 and more
constexpr int kStepsAtOnce = 8;   // 16 times as many samples: a line is not trusted further
constexpr int kStepsAtFirst = 4;  // 4 times as many

/// Holds the sizes between which a search looks, by their numbers.
struct Bracket {
  int fits = -1;              // the largest that fits; -1 = none yet
  int fails = kMostStep + 1;  // the smallest that does not
};

Bracket bracket_of(std::span<const BatchTry> tries) {
  Bracket bracket;
  for (const BatchTry& one : tries)
    if (one.fits) bracket.fits = std::max(bracket.fits, batch_step_at(one.batch));
  for (const BatchTry& one : tries)
    if (!one.fits) bracket.fails = std::min(bracket.fails, batch_step_at(one.batch));
  return bracket;
}

/// Returns the forecast by the two largest batches that fit: smaller ones may lie on another line.
Result<BatchesThatFit> forecast_of(const SearchedMemory& memory) {
  const bool on_device = memory.peaks.on_device();
  const std::int64_t bytes = on_device ? memory.peaks.device_bytes : memory.main_bytes;
  if (bytes <= 0) return because("the size of the memory is not known");
  MemoryByBatch largest = memory.peaks;
  std::erase_if(largest.uses, [](const MemoryUse& use) { return !use.reason.empty(); });
  std::ranges::stable_sort(largest.uses, {}, &MemoryUse::batch);
  if (largest.uses.size() > 2) largest.uses.erase(largest.uses.begin(), largest.uses.end() - 2);
  return BatchesThatFit::in(largest, on_device, bytes);
}

/// Returns the number of the largest size that fits even if all memory grew with the batch; nothing
/// if no peak is known.
std::optional<int> step_if_proportional(const SearchedMemory& memory) {
  for (const MemoryUse& use : memory.peaks.uses) {
    const bool on_device = memory.peaks.on_device();
    const auto peak =
        on_device ? (use.driver_bytes ? use.driver_bytes : use.device_bytes) : use.peak_rss_bytes;
    const std::int64_t bytes = on_device ? memory.peaks.device_bytes : memory.main_bytes;
    if (!peak || *peak <= 0 || bytes <= 0) continue;
    const double times = kUsableShare * static_cast<double>(bytes) / static_cast<double>(*peak);
    return batch_step_at(std::max<std::int64_t>(
        1, static_cast<std::int64_t>(times * static_cast<double>(use.batch))));
  }
  return std::nullopt;
}

/// Returns the number that is to be tried between the ends of a bracket.
int middle_of(const Bracket& bracket) {
  return bracket.fits + (bracket.fails - bracket.fits) / 2;
}

}  // namespace

int batch_step_at(std::int64_t batch) {
  int step = 0;
  while (step < kMostStep && batch_of_step(step + 1) <= batch) ++step;
  return step;
}

std::int64_t batch_of_step(int step) {
  if (step <= 0) return 1;
  if (step % 2 == 1) return std::int64_t{1} << ((step + 1) / 2);
  return std::int64_t{3} << ((step - 2) / 2);
}

std::optional<std::int64_t> largest_that_fits(std::span<const BatchTry> tries) {
  const Bracket bracket = bracket_of(tries);
  if (bracket.fits < 0) return std::nullopt;
  return batch_of_step(bracket.fits);
}

std::optional<std::int64_t> next_batch(std::span<const BatchTry> tries,
                                       const SearchedMemory& memory) {
  if (tries.empty()) return kFirstBatch;
  const Bracket bracket = bracket_of(tries);
  if (bracket.fails - bracket.fits <= 1) return std::nullopt;
  const int next = bracket.fits + 1;
  const auto within = [&](int step) {
    return batch_of_step(std::clamp(step, next, bracket.fails - 1));
  };
  if (bracket.fits < 0) return batch_of_step(middle_of(bracket));
  const auto forecast = forecast_of(memory);
  if (!forecast) {
    if (bracket.fails <= kMostStep) return within(middle_of(bracket));
    const int safe = step_if_proportional(memory).value_or(bracket.fits + 1);
    return within(std::min(safe, bracket.fits + kStepsAtFirst));
  }
  const int wanted = batch_step_at(std::max<std::int64_t>(1, forecast->largest_likely()));
  if (wanted > bracket.fails) return within(middle_of(bracket));  // the forecast was wrong
  if (wanted > bracket.fits) return within(std::min(wanted, bracket.fits + kStepsAtOnce));
  if (forecast->fit(batch_of_step(next)).chance < kSurelyTooLarge) return std::nullopt;
  return within(next);
}

}  // namespace lapcast

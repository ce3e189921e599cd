#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "extrapolate/memory_fit.h"

namespace lapcast {

// A search tries the batch sizes 1, 2, 3, 4, 6, 8, 12, 16, 24 ...: the powers of two and the sizes
// halfway between them.

/// Returns the number of the largest of these sizes that is not above `batch` >= 1, from 0.
int batch_step_at(std::int64_t batch);
/// Returns the size with that number, 0 to 60.
std::int64_t batch_of_step(int step);

/// Says how one try of a batch ended.
struct BatchTry {
  std::int64_t batch = 0;
  bool fits = false;  // it made laps of whole batches
};

/// Says which memory a search fills, and what is known of it so far.
struct SearchedMemory {
  MemoryByBatch peaks;          // of the tries
  std::int64_t main_bytes = 0;  // available to the program; 0 = not known
};

/// Is the batch that a search tries first.
inline constexpr std::int64_t kFirstBatch = 8;
/// Is the chance of fitting below which a search takes a batch as too large without a try.
inline constexpr double kSurelyTooLarge = 0.01;

/// Returns the batch that a search for the largest one that fits tries next; nothing when that is
/// found, or not even one sample fits. The second batch is one that fits even if all memory grew
/// with the batch; from then on the forecast leads, and where it does not, the sizes between the
/// largest that fits and the smallest that does not are halved.
std::optional<std::int64_t> next_batch(std::span<const BatchTry> tries,
                                       const SearchedMemory& memory);

/// Returns the largest batch that fits; nothing if none was seen to.
std::optional<std::int64_t> largest_that_fits(std::span<const BatchTry> tries);

}  // namespace lapcast

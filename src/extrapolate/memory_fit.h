#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/error.h"
#include "extrapolate/memory_line.h"
#include "forecast/memory_use.h"
#include "run/run.h"

namespace lapcast {

/// Holds the peaks of a run with one batch size; a peak is absent if that meter did not tell.
struct MemoryUse {
  std::int64_t batch = 0;                           // samples of one process
  std::string run = {};                             // its id; empty = no run
  std::optional<std::int64_t> peak_rss_bytes = {};  // main memory
  std::optional<std::int64_t> device_bytes = {};    // by the program's allocator
  std::optional<std::int64_t> before_bytes = {};    // resident before its network was built
  std::string reason = {};                          // why there is no peak
  std::optional<std::int64_t> driver_bytes = {};    // by the GPU's driver

  std::optional<std::int64_t> peak(MemoryMeter meter) const;
};

/// Holds the peaks of a program on one machine type, alike but for the batch.
struct MemoryByBatch {
  std::string name;  // "gpu lr=0.1", or the name of a workload
  std::vector<MemoryUse> uses = {};
  int processes = 1;              // world size: a sharded training takes less in each of many
  std::int64_t main_bytes = 0;    // memory of the machine; 0 = not known
  std::int64_t device_bytes = 0;  // memory of its GPU; 0 = not known, or none

  /// Returns the line through the peaks of one meter.
  Result<MemoryLine> line(MemoryMeter meter, double hidden_line = kHiddenLine) const;
  /// Returns whether a meter of GPU memory told anything.
  bool on_device() const;
};

/// Returns the peaks of runs by program, machine type, settings without the batch, and number of
/// processes, in the order of the runs. The batch is that of the settings or arguments, else that
/// of the most laps. A run that failed, or had no lap of a whole batch, has its reason.
std::vector<MemoryByBatch> memory_by_batch(std::span<const Run> runs);

/// Is the share of a memory that a batch may take: the rest is left free, for what the next
/// sample, the driver and other programs take.
inline constexpr double kUsableShare = 0.95;
/// Is the least share_of_batch() of the allocator's line that makes it decide. Below it another
/// moment, such as the optimizer's step, had the peak, and the driver's line tells more.
inline constexpr double kClearLine = 0.5;
/// Holds what decides where the driver's line does; `./bench memory-accuracy` chooses the values.
struct DriverLimits {
  /// Is how far the line may pass the memory: allocators give back what they keep for later before
  /// they fail.
  double given_back = 1.03;
  /// Is the share of the memory from which a measured peak says that a larger batch does not fit.
  double full = 0.92;
};

/// Returns a forecast of the driver's meter, which cannot show more than there is. On a full card
/// it shows something from `full` on, because allocators keep what they can get.
Interval<double> shown_by_driver(const Interval<double>& line, double memory_bytes,
                                 const DriverLimits& limits = {});

/// Says how a batch fits into a memory.
struct BatchFit {
  MemoryMeter meter = MemoryMeter::process;  // whose line decides
  Interval<double> needed_bytes;             // 95 %
  double chance = 0;                         // that it fits
};

/// Decides which batches fit into a memory, by the lines of the meters that tell of it.
class BatchesThatFit {
 public:
  /// Decides for GPU memory (`on_device`) or main memory of so many bytes. The reason says why no
  /// line tells of it: what CPUs take says nothing of a GPU.
  static Result<BatchesThatFit> in(const MemoryByBatch& measured, bool on_device,
                                   std::int64_t bytes, const DriverLimits& limits = {});

  BatchFit fit(std::int64_t batch) const;
  /// Returns the largest batch that fits with a chance of 97.5 %; 0 = not even one sample.
  std::int64_t largest() const;
  /// Returns the largest batch that fits as likely as not.
  std::int64_t largest_likely() const;
  MemoryMeter meter() const { return meter_; }

 private:
  explicit BatchesThatFit(MemoryLine line) : line_(line) {}
  std::int64_t usable() const;

  MemoryLine line_;
  MemoryMeter meter_ = MemoryMeter::process;
  double usable_bytes_ = 0;
  double total_bytes_ = 0;
  DriverLimits limits_;
  std::int64_t most_batch_ = kMostBatch;
};

}  // namespace lapcast

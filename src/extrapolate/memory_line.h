#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/error.h"
#include "core/seconds.h"

namespace lapcast {

/// Holds the peak of memory of a run, on the host or on its device.
struct MemoryPeak {
  std::int64_t batch = 0;  // samples
  std::int64_t bytes = 0;
};

/// Is the least standard deviation of a peak from the line, as a share of the mean peak. It stands
/// for what few peaks cannot show, such as kernels that change with the batch. It is the most that
/// a peak of `./bench suite-memory` needed, rounded up to a whole percent (docs/benchmarks.md).
inline constexpr double kLeastMemoryDeviation = 0.01;

/// Is the share of the way from the line to a peak proportional to the batch that the interval
/// takes in beyond the largest measured batch. There the laps may follow a steeper line, which lay
/// below another moment's peak (loading, the optimizer's step) as far as was measured. A line is
/// known the better the more of its peak grows with the batch. `./bench memory-accuracy` chooses
/// it.
inline constexpr double kHiddenLine = 0.12;

/// Is the largest batch that MemoryLine::largest_batch() returns.
inline constexpr std::int64_t kMostBatch = 1'000'000'000;

/// Forecasts the peak of memory at other batch sizes: a line through measured peaks, by least
/// squares. What does not grow with the batch (the framework, the network, the data) is its value
/// at batch 0. A line that would fall is level, because more samples need no less memory.
class MemoryLine {
 public:
  /// Returns the line through peaks of at least two batch sizes. The reason says what is missing,
  /// or that a batch or a peak is below 1.
  static Result<MemoryLine> through(std::span<const MemoryPeak> peaks,
                                    double hidden_line = kHiddenLine);

  /// Returns the peak of one more run in bytes, with its 95 % prediction interval (Montgomery,
  /// Peck, Vining 2012, eq. 2.45), all cut at 0. The deviation is that of the measured peaks from
  /// the line, or kLeastMemoryDeviation if that is larger. Below five peaks the interval is a
  /// normal one, as few_values_interval() has it, else Student's t with n - 2 degrees of freedom.
  /// Beyond the largest batch the share of a hidden line is added in quadrature.
  Interval<double> at(std::int64_t batch) const;

  /// Returns the bytes that each sample of a batch takes, with its 95 % interval, cut at 0.
  Interval<double> of_a_sample() const;

  /// Returns the probability that the peak is at most `bytes`, were the interval a normal one.
  double chance_below(std::int64_t batch, double bytes) const;

  /// Returns how much of the peak at the largest measured batch grows with the batch: 0 to 1.
  double share_of_batch() const;

  /// Returns the largest batch at which the upper end of at() is not above `bytes`, up to
  /// kMostBatch; 0 when not even one sample fits.
  std::int64_t largest_batch(std::int64_t bytes) const;

 private:
  double lowest_upper_end() const;
  double mid(double batch) const { return mean_bytes_ + slope_ * (batch - mean_batch_); }

  double mean_batch_ = 0;
  double mean_bytes_ = 0;
  double slope_ = 0;     // bytes of a sample, not below 0
  double spread_ = 0;    // sum of (batch - mean batch)^2
  double margin_ = 0;    // half-width of the interval of a peak where the line is known exactly
  double one_more_ = 0;  // 1 + 1 / number of peaks
  double largest_ = 0;   // measured batch
  double hidden_line_ = kHiddenLine;
};

}  // namespace lapcast

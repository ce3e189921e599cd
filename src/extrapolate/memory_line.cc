#include "extrapolate/memory_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "stats/distributions.h"
#include "stats/summary.h"

namespace lapcast {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kFewPeaks = 5;  // from here on their own deviation is trusted

/// Returns why there is no line through the peaks, if there is none.
Result<void> check(std::span<const MemoryPeak> peaks) {
  if (peaks.empty()) return because("no peak of memory was measured");
  for (const MemoryPeak& peak : peaks)
    if (peak.batch < 1 || peak.bytes < 1)
      return because(fmt::format("a peak of {} bytes at batch {}", peak.bytes, peak.batch));
  const bool is_one = std::ranges::all_of(
      peaks, [&](const MemoryPeak& peak) { return peak.batch == peaks.front().batch; });
  if (is_one)
    return because(
        fmt::format("only batch {} was measured; a line needs two", peaks.front().batch));
  return {};
}

}  // namespace

Result<MemoryLine> MemoryLine::through(std::span<const MemoryPeak> peaks, double hidden_line) {
  if (const auto usable = check(peaks); !usable) return tl::unexpected(usable.error());
  std::vector<double> batches, bytes;
  for (const MemoryPeak& peak : peaks) {
    batches.push_back(static_cast<double>(peak.batch));
    bytes.push_back(static_cast<double>(peak.bytes));
  }
  const double n = static_cast<double>(peaks.size());
  MemoryLine line;
  line.hidden_line_ = hidden_line;
  line.mean_batch_ = mean(batches);
  line.mean_bytes_ = mean(bytes);
  line.one_more_ = 1 + 1 / n;
  line.largest_ = std::ranges::max(batches);
  double products = 0, deviations = 0;
  for (std::size_t i = 0; i < peaks.size(); ++i) {
    const double x = batches[i] - line.mean_batch_;
    line.spread_ += x * x;
    products += x * (bytes[i] - line.mean_bytes_);
  }
  line.slope_ = std::max(0.0, products / line.spread_);
  for (std::size_t i = 0; i < peaks.size(); ++i) {
    const double off = bytes[i] - line.mean_bytes_ - line.slope_ * (batches[i] - line.mean_batch_);
    deviations += off * off;
  }
  const double own = n > 2 ? std::sqrt(deviations / (n - 2)) : 0;
  const double quantile = peaks.size() < kFewPeaks ? kZ95 : student_t_quantile(0.975, n - 2);
  line.margin_ = quantile * std::max(own, kLeastMemoryDeviation * line.mean_bytes_);
  return line;
}

Interval<double> MemoryLine::at(std::int64_t batch) const {
  const double x = static_cast<double>(batch);
  const double from_mean = x - mean_batch_;
  const double of_line = margin_ * std::sqrt(one_more_ + from_mean * from_mean / spread_);
  const double proportional = mid(largest_) * x / largest_;
  const double hidden = x > largest_ ? hidden_line_ * std::max(0.0, proportional - mid(x)) : 0;
  const double half = std::hypot(of_line, hidden);
  return {std::max(0.0, mid(x) - half), std::max(0.0, mid(x)), std::max(0.0, mid(x) + half)};
}

double MemoryLine::chance_below(std::int64_t batch, double bytes) const {
  const Interval<double> peak = at(batch);
  return normal_cdf((bytes - peak.mid) * kZ95 / std::max(1.0, peak.high - peak.mid));
}

double MemoryLine::share_of_batch() const {
  return std::min(1.0, slope_ * largest_ / std::max(1.0, mid(largest_)));
}

Interval<double> MemoryLine::of_a_sample() const {
  const double half = margin_ / std::sqrt(spread_);
  return {std::max(0.0, slope_ - half), slope_, slope_ + half};
}

/// Returns the batch at which the upper end of at() is lowest; beyond that it rises. Its derivative
/// is 0 there, below the mean batch. Returns -infinity if the slope is steeper than the interval
/// widens.
double MemoryLine::lowest_upper_end() const {
  const double widening = margin_ * margin_ - slope_ * slope_ * spread_;
  if (widening <= 0) return -kInfinity;
  return mean_batch_ - slope_ * spread_ * std::sqrt(one_more_ / widening);
}

std::int64_t MemoryLine::largest_batch(std::int64_t bytes) const {
  const auto fits = [&](std::int64_t batch) {
    return at(batch).high <= static_cast<double>(bytes);
  };
  std::int64_t low =
      std::llround(std::clamp(lowest_upper_end(), 1.0, static_cast<double>(kMostBatch)));
  if (!fits(low)) return 0;
  std::int64_t high = kMostBatch + 1;  // low fits, high does not
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace lapcast

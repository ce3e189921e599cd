#pragma once

#include <cstdint>
#include <functional>

namespace lapcast::workloads::nqueens {

/// Is how many laps of a search can be queued on devices and not finished. The host cuts the trees
/// of one while the devices search the others.
constexpr int64_t kLapsUnderWay = 3;

/// Holds what is called for each lap, counted from 1, in their order.
struct LapReports {
  std::function<void(int64_t lap)> queued;
  /// Receives the end of an earlier lap, in ns of CLOCK_MONOTONIC.
  std::function<void(int64_t lap, int64_t at_ns)> ended;
};

/// Holds what devices do for a lap.
struct DeviceQueue {
  std::function<void(int64_t lap)> start;
  std::function<bool(int64_t lap)> has_ended;
  /// Waits for the end of a lap, and returns it. Called once for each lap, in their order.
  std::function<int64_t(int64_t lap)> wait;
};

/// Runs all laps. Waits only for a lap whose memory the next one takes, and for the last ones.
void run_laps(int64_t count, const DeviceQueue& queue, const LapReports& reports);

/// Adds up the times of the kernels of one device. Neighbours overlap, because one begins while the
/// last trees of the other end.
class KernelTimes {
 public:
  /// zero_ns: CLOCK_MONOTONIC at the event from which the first kernel counts.
  explicit KernelTimes(int64_t zero_ns) : zero_ns_(zero_ns) {}

  /// Adds a kernel by its begin and end, in ms after the end of the kernel before it. Returns when
  /// all kernels so far had ended, in ns of CLOCK_MONOTONIC.
  int64_t add(double begin_ms, double end_ms);

  /// Returns the seconds in which at least one kernel ran.
  double seconds() const { return busy_ns_ / 1e9; }

 private:
  int64_t zero_ns_;
  double last_ns_ = 0;    // the end of the newest kernel, after zero_ns
  double latest_ns_ = 0;  // of all
  double busy_ns_ = 0;
};

}  // namespace lapcast::workloads::nqueens

#include "nqueens/device_laps.h"

#include <algorithm>

namespace lapcast::workloads::nqueens {

void run_laps(int64_t count, const DeviceQueue& queue, const LapReports& reports) {
  int64_t ended = 0;
  const auto end_next = [&] {
    const int64_t lap = ++ended;
    reports.ended(lap, queue.wait(lap));
  };
  for (int64_t lap = 1; lap <= count; ++lap) {
    if (lap - ended > kLapsUnderWay) end_next();
    queue.start(lap);
    reports.queued(lap);
    while (ended < lap && queue.has_ended(ended + 1)) end_next();
  }
  while (ended < count) end_next();
}

int64_t KernelTimes::add(double begin_ms, double end_ms) {
  constexpr double kNsPerMs = 1e6;
  const double begin = last_ns_ + begin_ms * kNsPerMs;
  last_ns_ += end_ms * kNsPerMs;
  busy_ns_ += std::max(0.0, last_ns_ - std::max(begin, latest_ns_));
  latest_ns_ = std::max(latest_ns_, last_ns_);
  return zero_ns_ + static_cast<int64_t>(latest_ns_);
}

}  // namespace lapcast::workloads::nqueens

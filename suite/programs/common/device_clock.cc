#include "common/device_clock.h"

#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/util/Exception.h>
#include <lapcast/lap.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace lapcast::workloads {
namespace {

constexpr size_t kRing = 64;              // marks under way
constexpr int64_t kFreeNs = 20'000'000;   // that marks may take before their share is limited
constexpr int64_t kShare = 2000;          // after that they take one 2000th of the time
constexpr int64_t kMostCostNs = 100'000;  // of a mark; a longer one waited for a full queue

int64_t monotonic_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

}  // namespace

DeviceClock::DeviceClock(std::vector<c10::Device> devices)
    : DeviceClock(std::move(devices), lapcast_iteration_ended, monotonic_ns) {}

DeviceClock::DeviceClock(std::vector<c10::Device> devices, Report report, Now now)
    : devices_(std::move(devices)),
      report_(std::move(report)),
      now_(std::move(now)),
      begun_ns_(now_()) {}

/// Does what needs timed events. Without them laps stay queued. An error of earlier work, which a
/// device reports late, is left to the next operator.
void DeviceClock::guard(const std::function<void()>& work) {
  if (failed_) return;
  try {
    work();
  } catch (const c10::Error&) {
    failed_ = true;
    pending_.clear();
  }
}

std::vector<c10::Event> DeviceClock::record() {
  std::vector<c10::Event> events;
  if (!spare_.empty()) {
    events = std::move(spare_.back());
    spare_.pop_back();
  }
  for (size_t i = 0; i < devices_.size(); ++i) {
    const c10::Device device = devices_[i];
    if (i == events.size()) events.emplace_back(device.type(), c10::EventFlag::BACKEND_DEFAULT);
    events[i].record(c10::impl::VirtualGuardImpl(device.type()).getStream(device));
  }
  return events;
}

void DeviceClock::mark(int64_t lap) {
  const int64_t begin = now_();
  if (last_.empty() || begin < rest_until_ns_) return;
  guard([&] {
    look();
    if (pending_.size() < kRing) pending_.push_back({lap, record()});
  });
  spent_ns_ += std::min(now_() - begin, kMostCostNs);
  if (spent_ns_ > kFreeNs) rest_until_ns_ = begun_ns_ + (spent_ns_ - kFreeNs) * kShare;
}

void DeviceClock::tie() {
  guard([&] {
    std::vector<c10::Event> events = record();
    for (const c10::Event& event : events) event.synchronize();
    const auto now = static_cast<double>(now_());
    look();
    // A time that an event without them refuses is asked for here, before any lap has a mark.
    for (const c10::Event& event : events) event.elapsedTime(event);
    if (!last_.empty()) spare_.push_back(std::move(last_));
    last_ = std::move(events);
    last_ns_.assign(devices_.size(), now);
  });
}

void DeviceClock::look() {
  const auto has_happened = [](const c10::Event& event) { return event.query(); };
  while (!pending_.empty() && std::all_of(pending_.front().events.begin(),
                                          pending_.front().events.end(), has_happened)) {
    end_first_mark();
  }
}

void DeviceClock::end_first_mark() {
  constexpr double kNsPerMs = 1e6;
  Mark& mark = pending_.front();
  double end = 0;
  for (size_t i = 0; i < devices_.size(); ++i) {
    last_ns_[i] += last_[i].elapsedTime(mark.events[i]) * kNsPerMs;
    end = std::max(end, last_ns_[i]);
  }
  report_(mark.lap, std::min(static_cast<int64_t>(end), now_()));
  std::swap(last_, mark.events);
  spare_.push_back(std::move(mark.events));
  pending_.pop_front();
}

}  // namespace lapcast::workloads

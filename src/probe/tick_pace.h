#pragma once

#include <algorithm>

#include "core/seconds.h"

namespace lapcast {

/// Says when a supervisor next looks at a program. The emitter writes every 100 ms. A short probe
/// is looked at that often, so that it ends as soon as it has enough laps; a longer one less often,
/// because every wake-up takes time from the program.
class TickPace {
 public:
  bool is_due(MonotonicNs now) const { return now >= next_; }
  MonotonicNs time_left(MonotonicNs now) const { return std::max<MonotonicNs>(next_ - now, 0); }
  /// Notes a tick from `begin` to `end`, in the life of a program that was started at started_ns.
  void ticked(MonotonicNs begin, MonotonicNs end, MonotonicNs started_ns, bool is_suspended) {
    const MonotonicNs took = end - begin;
    const MonotonicNs tick = is_suspended                 ? kSuspendedTick
                             : begin - started_ns < kLate ? kTick
                                                          : kLateTick;
    next_ = begin + took + std::max(tick - took, kTimesTheTick * took);
  }
  /// Schedules the next tick of a resumed program as for a short probe.
  void go_on(MonotonicNs now) { next_ = now + kTick; }

 private:
  static constexpr MonotonicNs kTick = 100'000'000;
  static constexpr MonotonicNs kLateTick = 200'000'000;
  static constexpr MonotonicNs kSuspendedTick = 1'000'000'000;
  static constexpr MonotonicNs kLate = 3'000'000'000;
  static constexpr MonotonicNs kTimesTheTick = 4;  // least pause after a tick / length of the tick

  MonotonicNs next_ = 0;
};

}  // namespace lapcast

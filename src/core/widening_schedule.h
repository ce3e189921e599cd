#pragma once

#include <algorithm>
#include <optional>

#include "core/seconds.h"

namespace lapcast {

/// Schedules what is done ever more rarely during a run: first after 10 s, then each time that the
/// run has grown by a quarter, and by at least 10 s. Given a time, it schedules what is done that
/// often.
class WideningSchedule {
 public:
  explicit WideningSchedule(std::optional<Seconds> every = {})
      : least_(every.value_or(Seconds{10})), growth_(every ? 1 : 1.25), next_(least_) {}
  /// Returns whether it is due now, and if so schedules the next time. `elapsed` is the run's time.
  bool is_due(Seconds elapsed) {
    if (elapsed < next_) return false;
    next_ = std::max(elapsed + least_, elapsed * growth_);
    return true;
  }

 private:
  Seconds least_;
  double growth_;
  Seconds next_;
};

}  // namespace lapcast

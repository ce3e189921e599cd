#pragma once

#include <algorithm>

#include "core/seconds.h"

namespace lapcast {

/// Schedules what is done ever more rarely during a run: first after 10 s, then each time that the
/// run has grown by a quarter, and by at least 10 s.
class WideningSchedule {
 public:
  /// Returns whether it is due now, and if so schedules the next time. `elapsed` is the run's time.
  bool is_due(Seconds elapsed) {
    if (elapsed < next_) return false;
    next_ = std::max(elapsed + Seconds{10}, elapsed * 1.25);
    return true;
  }

 private:
  Seconds next_{10};
};

}  // namespace lapcast

#pragma once

#include <algorithm>

#include "core/seconds.h"

namespace lapcast {

/// Says when something is due that is done ever more rarely while a run goes on: first after 10 s,
/// then each time a quarter more time has passed, 10 s at least.
class WideningSchedule {
 public:
  /// Returns whether it is due now; if so, the next time is later. `elapsed` is the run's time.
  bool is_due(Seconds elapsed) {
    if (elapsed < next_) return false;
    next_ = std::max(elapsed + Seconds{10}, elapsed * 1.25);
    return true;
  }

 private:
  Seconds next_{10};
};

}  // namespace lapcast

#pragma once

#include <cstdint>
#include <vector>

#include "run/run.h"

namespace lapcast {

/// Converts times to the clock of a run that stands still while its program is suspended. Pauses
/// count only as far as they lie within the run and in the order of time.
class PauselessTime {
 public:
  explicit PauselessTime(const Run& run);

  bool empty() const { return pauses_.empty(); }
  /// Returns the time since the start of the run, in ns, without the pauses before it; `at_ns` is
  /// the time with them. A time within a pause becomes that of its begin. O(log n).
  std::int64_t without(std::int64_t at_ns) const;
  /// Returns the sum of all pauses.
  std::int64_t total_ns() const { return until_.empty() ? 0 : until_.back(); }

 private:
  std::vector<Pause> pauses_;        // since the start of the run, apart, in order
  std::vector<std::int64_t> until_;  // ns of pauses_[0..i]
};

/// Returns the log of a run, whose times count from the start of the run, without the pauses: a lap
/// that was under way is as long as it would have been.
void cut_out(const PauselessTime& time, LapLog& log);

}  // namespace lapcast

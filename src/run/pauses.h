#pragma once

#include <cstdint>
#include <vector>

#include "run/run.h"

namespace lapcast {

/// Converts times of a run to a clock that stands still while its program is suspended. A part of a
/// pause that lies outside the run, or before the end of an earlier pause, is ignored.
class PauselessTime {
 public:
  explicit PauselessTime(const Run& run);

  bool empty() const { return pauses_.empty(); }
  /// Returns `at_ns`, nanoseconds since the start of the run, less the pauses before it. A time
  /// within a pause becomes that of the pause's begin. Takes O(log n) for n pauses.
  std::int64_t without(std::int64_t at_ns) const;
  /// Returns the pauses on the clock that stands still meanwhile.
  std::vector<RemovedPause> removed() const;
  /// Returns the sum of all pauses in nanoseconds.
  std::int64_t total_ns() const { return until_.empty() ? 0 : until_.back(); }

 private:
  std::vector<Pause> pauses_;        // times since the start of the run, apart, in order
  std::vector<std::int64_t> until_;  // sum of pauses_[0] to pauses_[i] in ns
};

/// Removes the pauses from all times of a log, which count from the start of the run, and records
/// them in the log. A lap that was suspended becomes as long as it would have been without the
/// pause.
void remove_pauses(const PauselessTime& time, LapLog& log);

}  // namespace lapcast

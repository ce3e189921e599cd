#pragma once

#include <cstdint>
#include <vector>

#include "run/run.h"

namespace lapcast {

/// The clock of a run without the time during which its program was suspended. Pauses that are not
/// within the run, or not in the order of time, count as far as they are.
class PauselessTime {
 public:
  explicit PauselessTime(const Run& run);

  bool empty() const { return pauses_.empty(); }
  /// ns since the start of the run, without the pauses before; `at_ns` with them. A time within a
  /// pause becomes that of its begin. O(log n).
  std::int64_t without(std::int64_t at_ns) const;
  /// All pauses together.
  std::int64_t total_ns() const { return until_.empty() ? 0 : until_.back(); }

 private:
  std::vector<Pause> pauses_;        // since the start of the run, apart, in order
  std::vector<std::int64_t> until_;  // ns of pauses_[0..i]
};

/// The log of a run, its times counted from the start of the run, without the pauses: a lap that
/// was under way is as long as it would have been.
void cut_out(const PauselessTime& time, LapLog& log);

}  // namespace lapcast

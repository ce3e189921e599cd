#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/seconds.h"
#include "lap/lap_log.h"

namespace lapcast {

/// Names the laps first .. end - 1 of a log, as indices into LapLog::laps.
struct LapRange {
  std::size_t first = 0;
  std::size_t end = 0;
  bool empty() const { return first >= end; }
};

/// Returns the laps that ran at least partly beside a validation; none when no lap ended before the
/// validation did, so that it was a pause.
LapRange laps_beside(const LapLog& log, const ValidationSpan& validation);

/// Returns the times of all stages with the name "checkpoint", in the order of their ends.
std::vector<Span> checkpoints_of(const LapLog& log);

/// Holds the pauses of a run's laps: validations and checkpoints, whose time does not count as time
/// of laps. A validation beside which laps ended is not a pause. Times are on the clock of the log.
class PausedTime {
 public:
  explicit PausedTime(const LapLog& log);
  /// Returns the paused time from begin_ns to end_ns; overlapping pauses count once. O(log n).
  Seconds within(std::int64_t begin_ns, std::int64_t end_ns) const;
  /// Returns the begin of the pause that is under way at at_ns, or else of the next one; the
  /// largest number when there is none. O(log n).
  std::int64_t next_pause_begin(std::int64_t at_ns) const;

 private:
  /// Returns the index of the first pause that ends after at_ns.
  std::size_t first_ending_after(std::int64_t at_ns) const;

  std::vector<Span> spans_;                // merged, ascending
  std::vector<std::int64_t> total_until_;  // ns of spans_[0..i)
};

}  // namespace lapcast

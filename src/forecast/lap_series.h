#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lap/lap_log.h"

namespace lapcast {

/// Laps first .. end - 1 of a log.
struct LapRange {
  std::size_t first = 0;
  std::size_t end = 0;
  bool empty() const { return first >= end; }
};

/// The laps that ran at least partly beside a validation; none when it was a pause, during which
/// no lap ended.
LapRange laps_beside(const LapLog& log, const ValidationSpan& validation);

/// The time that validations and checkpoints took of a run, to be taken out of other times. A
/// validation beside which laps ended is no pause.
class PausedTime {
 public:
  explicit PausedTime(const LapLog& log);
  /// Of the stretch from begin_ns to end_ns; what overlaps counts once. O(log n).
  Seconds within(std::int64_t begin_ns, std::int64_t end_ns) const;
  /// When the first pause begins that ends after at_ns; the end of time without one. O(log n).
  std::int64_t next_after(std::int64_t at_ns) const;

 private:
  std::vector<Span> spans_;                // merged, ascending
  std::vector<std::int64_t> total_until_;  // ns of spans_[0..i)
};

/// Seconds that each lap cost: from the end of the lap before it to its own end, whatever lay
/// between, without validations and checkpoints. The first lap of an epoch counts from its own
/// begin. Queued laps share what their stretch cost (queued_laps.h). Never negative.
std::vector<double> lap_costs(const LapLog& log, const PausedTime& paused);

/// The laps that can be compared with one another: full batches of the last phase.
struct FullLaps {
  std::vector<double> seconds;          // per full batch
  std::vector<std::uint32_t> index;     // into the laps given
  std::size_t queued = 0;               // of all laps given: those that reported queued work
  double samples = 0;                   // of a full batch; 0 = the laps report none
  bool scaled = false;                  // batches vary: every lap is scaled to the median batch
  bool without_first_of_epoch = false;  // the first lap of each later epoch is left out: what it
                                        // takes longer is epoch overhead
};
/// Partial batches are left out; where no batch size makes up half of the laps, all are kept and
/// scaled by samples. Queued laps that may still be going on are left out. First laps of epochs are
/// left out where epochs have 8 laps or more. Empty only when laps is.
FullLaps full_laps(std::span<const Lap> laps, std::span<const double> costs);

}  // namespace lapcast

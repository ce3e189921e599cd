#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lap/lap_log.h"

namespace lapcast {

/// Takes the ends of laps that become known after the laps' own lines, and moves what follows such
/// a lap (later laps, validations, stages and epochs) behind its end.
class LaterEnds {
 public:
  /// Says that the last of `count` laps has an end that its own line tells.
  void finished(std::vector<Lap>& laps, std::size_t count) {
    if (any_) put_behind(laps, count - 1);
    known_ = count;
  }
  /// Takes the end of the lap before laps[count]. It is ignored where the end of this lap or of a
  /// later one is known. The laps after it are in order when settle() has been called.
  void take(std::vector<Lap>& laps, std::size_t count, std::int64_t end_ns);
  /// Moves whatever begins before the end of the preceding lap to that end, and the end of an epoch
  /// to that of its last lap. Takes time only for a log with ends that became known later.
  void settle(LapLog& log) const;

  /// Returns the latest end that take() was given; no later lap begins before it.
  std::int64_t latest_ns() const { return latest_ns_; }

 private:
  void put_behind(std::vector<Lap>& laps, std::size_t before) const;

  std::size_t known_ = 0;  // laps up to the last one whose end is known
  std::int64_t latest_ns_ = 0;
  bool any_ = false;
};

}  // namespace lapcast

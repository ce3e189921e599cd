#pragma once

#include <cstdint>

#include "core/seconds.h"

namespace lapcast {

/// Holds one training iteration as it was reported. Times are nanoseconds since the log's hello.
struct Lap {
  std::int64_t begin_ns = 0;  // end of the event before it (metrics do not count)
  std::int64_t end_ns = 0;
  std::int64_t index = 0;  // 0 for the first lap of the run
  std::int32_t samples = 0;
  std::int32_t epoch = 0;  // as reported, from 1; 0 before any epoch began
  std::int16_t phase = 0;  // index into LapLog::phases
  std::int16_t rank = 0;
  bool finished = true;  // false: the work was only queued on a device

  constexpr Seconds seconds() const { return from_ns(end_ns - begin_ns); }
  friend constexpr bool operator==(const Lap&, const Lap&) = default;
};

}  // namespace lapcast

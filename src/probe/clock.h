#pragma once

#include <time.h>

#include "core/seconds.h"

namespace lapcast {

/// CLOCK_MONOTONIC now.
inline MonotonicNs monotonic_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

}  // namespace lapcast

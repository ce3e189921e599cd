#pragma once

#include <time.h>

#include <cstdint>
#include <string>

#include "core/seconds.h"
#include "price/offer.h"

namespace lapcast {

/// Returns the time of a clock of clock_gettime(2) in nanoseconds.
inline std::int64_t clock_ns(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}
/// Returns the time of CLOCK_MONOTONIC in nanoseconds.
inline MonotonicNs monotonic_ns() {
  return clock_ns(CLOCK_MONOTONIC);
}

// Apart from the supervisor, only the functions below return random values and wall-clock time.

std::uint64_t random_seed();
/// Returns 12 random hex digits.
std::string new_id();
/// Returns 64 random hex digits (256 bits), which nobody can guess.
std::string new_token();
/// Returns the time as "2026-11-20T12:00:00Z".
std::string utc_now();
/// Returns the date in UTC.
Date today();

}  // namespace lapcast

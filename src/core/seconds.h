#pragma once

#include <chrono>
#include <cstdint>

namespace lapcast {

/// A length of time in seconds. The standard library's strong type: a ratio of two is a plain
/// double, and a price per hour cannot be added to it by accident.
using Seconds = std::chrono::duration<double>;

/// Nanoseconds of CLOCK_MONOTONIC: the clock of lap logs and of the supervisor, one for all
/// processes of a machine until it reboots.
using MonotonicNs = std::int64_t;

constexpr Seconds from_ns(std::int64_t ns) { return Seconds{static_cast<double>(ns) * 1e-9}; }

}  // namespace lapcast

#pragma once

#include <chrono>
#include <cstdint>

namespace lapcast {

/// Holds a length of time in seconds. It is a strong type: the ratio of two is a plain double, and
/// a price per hour cannot be added to it by accident.
using Seconds = std::chrono::duration<double>;

/// Counts nanoseconds of CLOCK_MONOTONIC, the clock of lap logs and of the supervisor. All
/// processes of a machine share it until the machine reboots.
using MonotonicNs = std::int64_t;

constexpr Seconds from_ns(std::int64_t ns) {
  return Seconds{static_cast<double>(ns) * 1e-9};
}
constexpr std::int64_t to_ns(Seconds time) {
  return static_cast<std::int64_t>(time.count() * 1e9);
}

/// Holds an estimate with its 95 % interval: low <= mid <= high. All three are equal for a value
/// that is known exactly.
template <class T>
struct Interval {
  T low{};
  T mid{};
  T high{};

  static constexpr Interval exactly(T value) { return {value, value, value}; }
  constexpr bool contains(const T& value) const { return low <= value && value <= high; }
  friend constexpr bool operator==(const Interval&, const Interval&) = default;
};

}  // namespace lapcast

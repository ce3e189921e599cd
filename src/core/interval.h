#pragma once

namespace lapcast {

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

#pragma once

namespace lapcast {

/// An estimate with its 95 % interval: low <= mid <= high. For a value that is known exactly all
/// three are equal.
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

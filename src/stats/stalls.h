#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace lapcast {

/// Returns the median of the 2 * half + 1 values around each value; near the ends the window is
/// shifted, not cut. All values where there are fewer than a window. O(n * half).
std::vector<double> running_median(std::span<const double> values, std::size_t half);

/// Holds isolated values far above their neighbours: by more than 30 % and six robust deviations (a
/// normal value does so once in a billion) of the running median of 11. Up to five in a row are
/// found; longer disturbances are level shifts.
struct Stalls {
  std::vector<std::size_t> at;  // ascending
  std::vector<double> usual;    // for each of them, the running median there
  std::size_t events() const;   // neighbouring stalls count once
};
/// Returns no stalls when n < 5. For more than 16,384 values the deviation is that of 4,096 of
/// them.
Stalls find_stalls(std::span<const double> values);

/// Returns the values with stalls replaced by the running median.
std::vector<double> clipped(std::span<const double> values, const Stalls& stalls);

}  // namespace lapcast

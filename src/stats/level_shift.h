#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace lapcast {

/// Describes a change of the mean inside a series.
struct LevelShift {
  std::size_t at = 0;  // index of the first value on the new level
  double before = 0;   // mean of all values before it
  double after = 0;    // mean of all from it on
  double score = 0;    // |before - after| in standard errors that allow for autocorrelation
};

/// Returns the split that parts the series into its two most different levels (CUSUM, Page 1954),
/// whether or not it is significant. At least min_tail values stay after it. The error is that of
/// the residuals from the two levels, inflated for their autocorrelation, so that the shift itself
/// is not taken for noise. Returns nothing when n <= min_tail or nothing varies. O(n).
std::optional<LevelShift> strongest_level_shift(std::span<const double> values,
                                                std::size_t min_tail);

}  // namespace lapcast

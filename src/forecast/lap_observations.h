#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/seconds.h"
#include "lap/lap_log.h"
#include "stats/steady_state.h"

namespace lapcast {

// The end of a lap whose work was only queued on a device, or for which the program printed no line
// of its own, is not known. The laps from one known end to the next were measured together: they
// are one observation, however many there are.

/// Is the fewest observations from which the error of their mean is estimated.
inline constexpr std::int64_t kFewestObservations = 5;

/// Holds what was measured of full laps.
struct LapObservations {
  std::vector<double> seconds;      // mean lap of each observation
  std::vector<double> laps;         // number of laps of each
  std::vector<std::size_t> begins;  // index of the first lap of each among the full laps
  bool ends_unknown = false;        // no lap has a known end: there is no observation

  /// Returns whether each full lap is an observation of its own; all vectors are empty then.
  bool are_laps() const { return begins.empty(); }
  /// Returns how many observations there are from `first` on.
  std::int64_t count_from(std::size_t first, std::size_t full_laps) const {
    return ends_unknown
               ? 0
               : static_cast<std::int64_t>((are_laps() ? full_laps : begins.size()) - first);
  }
  /// Returns the index of the first observation whose laps do not begin before that full lap.
  std::size_t at_lap(std::size_t lap) const;
};

/// Returns the observations of full laps, which took `seconds` each and are those of `laps` with
/// the given indices.
LapObservations observations_of(std::span<const Lap> laps, std::span<const std::uint32_t> index,
                                std::span<const double> seconds);

/// Converts a state of observations into one of the laps, which took `seconds`.
SteadyState by_laps(const SteadyState& state, const LapObservations& observations,
                    std::span<const double> seconds);

/// Returns the relative standard deviation that is assumed for the mean lap of a stretch of this
/// length with fewer than kFewestObservations.
double deviation_of_stretch(Seconds length);

/// Returns the weighted mean of fewer than kFewestObservations, with a normal interval that is at
/// least as wide as deviation_of_stretch() of their total time gives.
Interval<double> few_observations_interval(std::span<const double> seconds,
                                           std::span<const double> laps);

/// Returns for each lap whether its time is wrong because the program was suspended: during the
/// lap, or while its device went on. Laps measured together with such a lap count too. Empty if
/// there is no such lap.
std::vector<bool> laps_around_pauses(const LapLog& log);

}  // namespace lapcast

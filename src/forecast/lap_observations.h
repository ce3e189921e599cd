#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/seconds.h"
#include "lap/lap_log.h"
#include "stats/steady_state.h"

namespace lapcast {

// A lap whose work was only queued on a device has no end of its own that is known. The laps from
// one known end to the next were measured together: they are one observation, however many they
// are.

/// Is the fewest observations that say how far their mean may be off.
inline constexpr std::int64_t kFewestObservations = 5;

/// Holds what was measured of full laps.
struct LapObservations {
  std::vector<double> seconds;      // the mean of the laps of each
  std::vector<double> laps;         // number of the laps of each
  std::vector<std::size_t> begins;  // index of the first lap of each among the full laps
  bool ends_unknown = false;        // no lap has a known end: there is no observation

  /// Returns whether each full lap is an observation of its own; all vectors are empty then.
  bool are_laps() const { return begins.empty(); }
  /// Returns how many observations the full laps are from observation `first` on.
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

/// Returns a state of observations as one of the laps that took `seconds`.
SteadyState by_laps(const SteadyState& state, const LapObservations& observations,
                    std::span<const double> seconds);

/// Returns the relative standard deviation that the mean lap of a stretch of this length is taken
/// to have where fewer than kFewestObservations show it.
double deviation_of_stretch(Seconds length);

/// Returns the weighted mean of fewer than kFewestObservations, with a normal interval that is at
/// least as wide as deviation_of_stretch() of all of them says.
Interval<double> few_observations_interval(std::span<const double> seconds,
                                           std::span<const double> laps);

/// Says of each lap whether its time is not that of its work because the program was suspended: the
/// pause came during it, or its device went on meanwhile. The laps that were measured together with
/// such a lap are among them. Empty when no lap is.
std::vector<bool> laps_around_pauses(const LapLog& log);

}  // namespace lapcast

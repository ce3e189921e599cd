#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/seconds.h"

namespace lapcast {

struct PowerReading {
  double at_s = 0;  // on the clock of its series
  double watts = 0;
  friend bool operator==(const PowerReading&, const PowerReading&) = default;
};

/// Holds readings of one meter in ascending order of time, and how many were left out, by reason.
struct PowerSeries {
  std::vector<PowerReading> readings;
  std::map<std::string, std::size_t> refused;
};

inline constexpr double kJoulesPerKwh = 3.6e6;

/// Is the largest power in W that a reading may have: a machine with 16 accelerators stays below 20
/// kW, so a larger value is a wrong unit or a damaged line.
inline constexpr double kMostWatts = 100'000;

/// Returns the readings as a series. It leaves out those that are not finite, below 0, above
/// kMostWatts, or not later than the one before.
PowerSeries power_series(std::span<const PowerReading> readings);

/// Reads a meter's file: CSV with a line per reading, with a time and a power in W, as a meter or
/// `nvidia-smi --query-gpu=timestamp,power.draw --format=csv -l 1` writes it. Where a first line
/// names columns, one called time or timestamp has the time and one called power or watts the
/// power; else the first two do. The time is in seconds since 1970 or a moment (parse_moment(), of
/// a clock `ahead_s` ahead of UTC); the series has seconds since 1970. The readings of several
/// accelerators at one moment are summed: lines of one time, or, where all come in groups of one
/// size with longer gaps between the groups, those of a group. A line that is not a reading is
/// counted in `refused`. Returns the reason when no line is a reading.
Result<PowerSeries> read_meter(std::string_view csv, double ahead_s = 0);

struct CounterReading {
  double at_s = 0;
  std::int64_t count = 0;
};

/// Describes a counter of energy: RAPL counts microjoules up to a range and begins again at 0, NVML
/// counts millijoules.
struct EnergyCounter {
  double joules_per_count = 1;
  std::int64_t range = 0;  // it begins again at 0 after this count; 0 = it never does
};

/// Returns the mean power between each reading of a counter and the next one, at the time of the
/// later one. A counter that falls from the upper half of its range to the lower half has begun
/// again; any other fall is a reset, and that stretch is left out.
PowerSeries power_of_counter(std::span<const CounterReading> readings,
                             const EnergyCounter& counter);

/// Returns the energy in J between two times, by the trapezoidal rule over the readings; before the
/// first and after the last reading the power is that of the reading. Returns the reason when fewer
/// than two readings lie between the times, or when `to` is not after `from`.
Result<double> joules_between(const PowerSeries& series, double from_s, double to_s);

/// Holds what the first seconds of a training say about its power.
struct FirstSeconds {
  double seconds = 0;      // observed
  double joules = 0;       // used in that time
  Interval<double> watts;  // of the rest of the training
};

/// Returns the energy between two times, and the power of the rest: the mean power of the second
/// half of the time, because a program begins with less (it loads data and compiles). The interval
/// covers the noise of the readings and 4 %, because later seconds differ (a validation needs less
/// power): on energy-mlperf the largest error was 2.4 % (docs/money.md). If the training began
/// after the middle, at `training_s`, and has two readings, the rest has the mean power of these,
/// because the start took most of a short probe. Returns the reason when either half has fewer than
/// two readings.
Result<FirstSeconds> first_seconds(const PowerSeries& series, double from_s, double to_s,
                                   double training_s = 0);

/// Returns the energy in J of a training of that length: what was observed, and the rest at
/// FirstSeconds::watts. A training that is shorter than the observed time gets its share of the
/// energy.
Interval<double> joules_of_training(const FirstSeconds& first, double training_s);

}  // namespace lapcast

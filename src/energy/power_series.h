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

/// Holds one reading of electric power.
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

/// Is the largest power in W that a reading may have: a machine with 16 accelerators stays below
/// 20 kW, so what is above is a wrong unit or a damaged line.
inline constexpr double kMostWatts = 100'000;

/// Returns the readings as a series. It leaves out those that are not finite, below 0, above
/// kMostWatts, or not later than the one before.
PowerSeries power_series(std::span<const PowerReading> readings);

/// Reads a meter's file: CSV with a line per reading that begins with the time and the power in W;
/// further columns are ignored, and a first line that has no numbers is a header. The time is in
/// seconds since 1970 or "2026-11-25T12:00:00Z"; the series has seconds since 1970. A line that is
/// not a reading is counted in `refused`. Returns the reason when no line is a reading.
Result<PowerSeries> read_meter(std::string_view csv);

/// Holds one reading of a counter of energy.
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

/// Returns the mean power between each two readings of a counter, each at the time of the later
/// one. A counter that falls from the upper half of its range to the lower half has begun again;
/// one that falls otherwise was reset, and the stretch is left out.
PowerSeries power_of_counter(std::span<const CounterReading> readings,
                             const EnergyCounter& counter);

/// Returns the energy in J between two times, by the trapezoidal rule over the readings; before the
/// first and after the last reading the power is theirs. Returns the reason when fewer than two
/// readings lie between the times, or when `to` is not after `from`.
Result<double> joules_between(const PowerSeries& series, double from_s, double to_s);

/// Holds what the first seconds of a training say of its power.
struct FirstSeconds {
  double seconds = 0;      // that were observed
  double joules = 0;       // in them
  Interval<double> watts;  // of the rest of the training
};

/// Returns what the readings between two times say: their energy, and as the power of the rest the
/// mean power of the second half of the time, because a program begins with less (it loads data and
/// compiles). The interval has the noise of the readings and 4 %, because later seconds differ (a
/// validation needs less power): on energy-mlperf the largest error was 2.4 %
/// (docs/money.md). Where the training began later than the middle, at `training_s`, and has two
/// readings, the rest has its mean power: a start that takes most of a short probe is not training.
/// Returns the reason when either half has fewer than two readings.
Result<FirstSeconds> first_seconds(const PowerSeries& series, double from_s, double to_s,
                                   double training_s = 0);

/// Returns the energy in J of a training of that length: what was observed, and the rest at
/// FirstSeconds::watts. A training that is shorter than what was observed has its share of it.
Interval<double> joules_of_training(const FirstSeconds& first, double training_s);

}  // namespace lapcast

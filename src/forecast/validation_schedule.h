#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/seconds.h"
#include "lap/lap_log.h"

namespace lapcast {

/// Says when a training validates, counted in its epochs.
struct ValidationSchedule {
  double first = 1;  // epochs before the first validation
  /// Counts the epochs from one validation to the next, whole ones; it is below 1 within epochs.
  double every = 1;
  bool observed = false;          // or declared; else one after every epoch is assumed
  std::int64_t quiet_epochs = 0;  // whole epochs from the first on without a validation
  /// Gives the least possible value of `every` where only one validation was observed and `every`
  /// is a guess; else 0.
  double closest = 0;
  /// Returns whether so many epochs had no validation that it is not known when one comes; then
  /// first and every mean nothing.
  bool is_quiet() const { return quiet_epochs >= 2; }
  friend bool operator==(const ValidationSchedule&, const ValidationSchedule&) = default;
};

/// Returns the schedule of a log: full validations within epochs by their spacing in laps, else the
/// epochs after which they came. `laps_per_epoch` is 0 when it is not known.
ValidationSchedule schedule_of(const LapLog& log, std::int64_t samples, double laps_per_epoch);

/// Returns the schedule of so many validations an epoch, evenly spread; it may be 0.
ValidationSchedule evenly(double per_epoch);

/// Returns the schedule with what the user declares: one after `every` epochs, the first after
/// `from`; 0 = as observed.
ValidationSchedule declared(const ValidationSchedule& observed, std::int64_t every,
                            std::int64_t from);

/// Returns how many validations come in so many epochs: an interval where the schedule is a guess.
Interval<double> validations_in(const ValidationSchedule& schedule, double epochs);

/// Returns the schedule in words: "after every epoch", "after every 4 epochs, the first after epoch
/// 12", "about 5 times an epoch".
std::string describe(const ValidationSchedule& schedule);

using ValidationSpans = std::vector<ValidationSpan>;

/// Returns the validations after the first lap; one before it is part of init.
ValidationSpans validations_after_first_lap(const LapLog& log);

/// Returns the samples of the largest validation; 0 when none reports any.
std::int64_t most_samples(const ValidationSpans& spans);

/// Returns the validations of at least 95 % of the samples; shorter ones were requested by lapcast,
/// to measure what one costs.
ValidationSpans full_validations(ValidationSpans spans, std::int64_t samples);

}  // namespace lapcast

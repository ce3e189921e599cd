#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/seconds.h"
#include "lap/lap_log.h"

namespace lapcast {

/// Says when a training validates, counted in its epochs, or in laps where it reports no epochs. By
/// default one validation after every epoch is assumed.
struct ValidationSchedule {
  double first = 1;  // epochs (or laps) before the first validation
  /// Gives the epochs from one validation to the next: a whole number, or below 1 where validations
  /// come within epochs. In laps it is at least 1.
  double every = 1;
  bool in_laps = false;   // true: all numbers here count laps
  bool observed = false;  // true: first and every were observed or declared, not assumed
  /// Counts the epochs (or laps) that the run has passed without a validation; 0 once it had one.
  std::int64_t quiet_for = 0;
  /// Gives the least possible value of `every` where only one validation was observed and `every`
  /// is a guess; else 0.
  double least_every = 0;
  /// Returns whether two epochs (or laps) or more had no validation: then it is not known when one
  /// comes, and first and every mean nothing.
  bool is_quiet() const { return quiet_for >= 2; }
  friend bool operator==(const ValidationSchedule&, const ValidationSchedule&) = default;
};

/// Returns the schedule of a log: by the spacing in laps of three or more full validations within
/// epochs (of one or more where no epoch has ended and the program validates by itself only), else
/// by the epochs after which they came. Where no epoch was reported, or none has ended and
/// laps_per_epoch is 0 (not known), the schedule is in laps; without epochs, a validation before
/// the first lap shows that more may come. `samples` is that of a full validation; 0 = that of the
/// largest one observed.
ValidationSchedule schedule_of(const LapLog& log, std::int64_t samples, double laps_per_epoch);

/// Returns the schedule of `per_epoch` >= 0 validations an epoch at equal distances; 0 = none ever.
ValidationSchedule evenly_spread(double per_epoch);

/// Returns the schedule that the user declares: a validation after every `every` epochs, the first
/// after epoch `from`; both are laps where the observed schedule is in laps. A 0 means as observed,
/// or, if nothing was, an `every` of 1 and the first after `every` epochs. Of a training that was
/// resumed after `done` epochs, the declared numbers are those of the whole, and the schedule is
/// that of the rest.
ValidationSchedule with_declared(const ValidationSchedule& observed, std::int64_t every,
                                 std::int64_t from, std::int64_t done = 0);

/// Returns how many validations come in `epochs` epochs, or laps where the schedule is in laps: a
/// wide interval where the schedule is quiet or a guess, else an exact one.
Interval<double> validations_in(const ValidationSchedule& schedule, double epochs);

/// Returns a schedule that is not quiet in words: "after every epoch", "after every 4 epochs, the
/// first after epoch 12", "about 5 times an epoch".
std::string describe(const ValidationSchedule& schedule);

using ValidationSpans = std::vector<ValidationSpan>;

/// Returns the validations after the first lap; those before it are part of init.
ValidationSpans validations_after_first_lap(const LapLog& log);

/// Returns the samples of the largest validation; 0 when none reports any.
std::int64_t most_samples(const ValidationSpans& spans);

/// Returns the spans that have at least 95 % of `samples` or report no samples. lapcast requested
/// the shorter ones, to measure what a validation costs.
ValidationSpans full_validations(ValidationSpans spans, std::int64_t samples);

}  // namespace lapcast

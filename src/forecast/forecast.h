#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/interval.h"
#include "core/result.h"
#include "core/seconds.h"
#include "forecast/lap_profile.h"
#include "forecast/part_kind.h"
#include "forecast/priors.h"

namespace lapcast {

/// Describes the training whose time is forecast.
struct TrainingPlan {
  std::int64_t epochs = 0;  // exactly one of epochs and steps is > 0
  std::int64_t steps = 0;
  std::int64_t training_samples = 0;      // of one epoch
  double batch_size = 0;                  // samples of a full lap
  std::int64_t validation_samples = 0;    // of one validation; 0 = the training has none
  std::int64_t iterations_per_epoch = 0;  // a partial last batch counts as one
  std::int64_t validate_every = 0;        // epochs; 0 = as observed
  std::int64_t validate_from = 0;         // epoch after which the first comes; 0 = as observed
  friend bool operator==(const TrainingPlan&, const TrainingPlan&) = default;
};

/// Returns the plan that the user asked for, completed from what the program reported; the user
/// wins. Returns the reason when neither says how long to train or how many samples an epoch has,
/// or when a number of it is above 10^15.
Result<TrainingPlan> plan_of(const RequestedPlan& requested, const LapProfile& profile);

enum class Method {
  lapcast,                    // the others are those of Malta 2021:
  epoch,                      // eq. 4.1, 5.1
  iteration_with_validation,  // eq. 5.3
  iteration,                  // eq. 5.4: without validation
  first_iteration,            // this one and the next two take one number for all laps
  second_iteration,
  mean_of_2_to_10,
};
std::string_view to_string(Method method);
inline constexpr Method kAllMethods[] = {
    Method::lapcast,        Method::epoch,           Method::iteration_with_validation,
    Method::iteration,      Method::first_iteration, Method::second_iteration,
    Method::mean_of_2_to_10};

/// One part of the forecast time; the mids of all parts sum to the total's mid. The interval covers
/// the measurement error, for init and warm-up also how differently programs start.
struct ForecastPart {
  PartKind kind = PartKind::laps;
  Interval<Seconds> time;  // of warm-up and of earlier_runs it may be negative
  Provenance provenance = Provenance::measured;
};

/// Holds the forecast time of the whole run, from process start to end.
struct Forecast {
  Method method = Method::lapcast;
  Interval<Seconds> total;  // 95 %: measurement error of this run and, for `lapcast`, the spread
                            // between runs
  double spread_between_runs = 0;  // relative standard deviation of the total, assumed or learned,
                                   // see docs/forecast.md; 0 for the papers' methods
  std::vector<ForecastPart> parts;
  std::string record;  // what the track record changed, in plain words; empty = nothing
};

/// Returns the forecast, or the reason when the method lacks what it needs, such as a whole epoch
/// or the cost of a validation.
Result<Forecast> forecast(const LapProfile& profile, const TrainingPlan& plan,
                          Method method = Method::lapcast, const Priors& priors = Priors{});

/// Returns the laps of one epoch, where a partial last batch counts by its samples; 0 = not known.
double laps_per_epoch(const TrainingPlan& plan);
/// Returns the laps of the whole training; 0 = not known.
double laps_of(const TrainingPlan& plan);
/// Returns when the training validates: as the plan says, else as observed.
ValidationSchedule schedule_of(const LapProfile& profile, const TrainingPlan& plan);
/// Returns the epochs of the whole training, a fraction where it counts steps; 0 = not known.
double epochs_of(const TrainingPlan& plan);

/// Gives the forecast's mid as a function of the number of epochs.
struct EpochLine {
  double fixed_s = 0;
  double per_epoch_s = 0;
  double at(double epochs) const { return fixed_s + per_epoch_s * epochs; }
};

/// Returns the line that is exact from the epoch on in which warm-up ends and the first validation
/// comes; where validations come after every so many epochs, it is exact after each of them. The
/// plan's own number of epochs or steps does not matter. Returns the reason when the laps of an
/// epoch are not known.
Result<EpochLine> epoch_line(const LapProfile& profile, const TrainingPlan& plan,
                             const Priors& priors = Priors{});

}  // namespace lapcast

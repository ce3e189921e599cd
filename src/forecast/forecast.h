#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/interval.h"
#include "core/result.h"
#include "core/seconds.h"
#include "forecast/lap_profile.h"
#include "forecast/priors.h"

namespace lapcast {

/// The training whose time is wanted.
struct TrainingPlan {
  std::int64_t epochs = 0;  // exactly one of epochs and steps is > 0
  std::int64_t steps = 0;
  std::int64_t training_samples = 0;      // of one epoch
  double batch_size = 0;                  // samples of a full lap
  std::int64_t validation_samples = 0;    // of one validation; 0 = the training has none
  std::int64_t iterations_per_epoch = 0;  // a partial last batch counts as one
  std::int64_t validate_every = 0;        // epochs; 0 = as seen
  std::int64_t validate_from = 0;         // epoch after which the first comes; 0 = as seen
  friend bool operator==(const TrainingPlan&, const TrainingPlan&) = default;
};

/// The plan from what the user asked for, filled from what the program reported (the user wins).
/// Reason when neither says how long to train or how many samples an epoch has, or a number of it
/// is above 10^15.
Result<TrainingPlan> plan_of(const RequestedPlan& requested, const LapProfile& profile);

enum class Method {
  lapcast,                    // ours
  epoch,                      // [M] eq. 4.1, 5.1
  iteration_with_validation,  // [M] eq. 5.3
  iteration,                  // [M] eq. 5.4: without validation
  first_iteration,            // [M]: the single-number strategies that it shows to fail
  second_iteration,
  mean_of_2_to_10,
};
std::string_view to_string(Method method);
inline constexpr Method kAllMethods[] = {
    Method::lapcast,        Method::epoch,           Method::iteration_with_validation,
    Method::iteration,      Method::first_iteration, Method::second_iteration,
    Method::mean_of_2_to_10};

/// The part that with_track_record() adds.
inline constexpr std::string_view kAsInEarlierRuns = "as in earlier runs";

/// One part of the forecast time; the mids of all parts sum to the total's mid. Its interval holds
/// the measurement error, for init and warm-up also how differently programs start.
struct ForecastPart {
  std::string name;  // "init", "warm-up", "laps", "validation", "epoch overhead", "checkpoints",
                     // "tear-down", "as in earlier runs"; "epochs", "first lap" in the papers'
                     // methods
  Interval<Seconds> time;  // warm-up and "as in earlier runs" may be negative
  Provenance provenance = Provenance::measured;
};

/// Time of the whole run, process start to end.
struct Forecast {
  Method method = Method::lapcast;
  Interval<Seconds> total;  // 95 %: measurement error of this run and, for `lapcast`, the spread
                            // between runs
  double spread_between_runs = 0;  // relative standard deviation of the total, assumed or learned,
                                   // see docs/forecast.md; 0 for the papers' methods
  std::vector<ForecastPart> parts;
  std::string record;  // what earlier runs of the program changed, in plain words; empty = nothing
};

/// Reason when the method lacks what it needs (no whole epoch seen, no validation known ...).
Result<Forecast> forecast(const LapProfile& profile, const TrainingPlan& plan,
                          Method method = Method::lapcast, const Priors& priors = Priors{});

/// Laps of one epoch, a partial last batch counted by its samples; 0 = not known.
double laps_per_epoch(const TrainingPlan& plan);
/// Laps of the whole training; 0 = not known.
double laps_of(const TrainingPlan& plan);
/// When it validates: as the plan says, else as seen.
ValidationSchedule schedule_of(const LapProfile& profile, const TrainingPlan& plan);
/// Epochs of the whole training, a fraction where it counts steps; 0 = not known.
double epochs_of(const TrainingPlan& plan);

}  // namespace lapcast

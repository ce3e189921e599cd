#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "choose/assessment.h"
#include "choose/epochs_assessment.h"
#include "core/seconds.h"
#include "report/table.h"

namespace lapcast {

/// Holds one run's forecast beside what really happened.
struct ForecastRow {
  const Run* run = nullptr;
  Assessment assessment;
  std::optional<Seconds> real;  // real_time_of() the plan in the run
  /// Says where the epochs of the plan come from, for a training until a target.
  std::optional<EpochsNeeded> until;
};

/// Returns one row for each run, with costs where the run has an offer; a note says how far off the
/// forecasts were.
std::vector<Table> forecast_tables(std::span<const ForecastRow> rows,
                                   std::span<const Offer> offers);

/// Holds a forecast beside the time that the training really took.
struct ForecastAndReal {
  Interval<Seconds> forecast;
  Seconds real;  // > 0
};

/// Returns the error relative to the real time: 0.1 for a forecast that is 10 % too long.
double error_of(const ForecastAndReal& pair);

/// Says how far forecasts were off.
struct ForecastErrors {
  std::optional<double> median;  // absolute, relative to the real time; none = nothing is known
  std::size_t inside = 0;        // real times inside their 95 % intervals
  std::size_t known = 0;
};
/// Summarises the errors of forecasts.
ForecastErrors errors_of(std::span<const ForecastAndReal> pairs);

/// Returns "median absolute error 3.4 %; 12 of 18 inside the interval"; empty when nothing is
/// known.
std::string describe(const ForecastErrors& errors);

/// Holds one run and how many epochs it needs to reach a goal.
struct EpochsRow {
  const Run* run = nullptr;
  TrainingGoal goal;
  EpochsAssessment assessment;
};

/// Returns one row for each run; the notes say what each forecast rests on, and its warnings.
std::vector<Table> epochs_tables(std::span<const EpochsRow> rows, const std::string& goal);

}  // namespace lapcast

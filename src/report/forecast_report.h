#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/seconds.h"
#include "history/assessment.h"
#include "history/epochs_assessment.h"
#include "table/table.h"

namespace lapcast {

struct ForecastRow {
  const Run* run = nullptr;  // never nullptr in a row that is shown
  Assessment assessment;
  std::optional<Seconds> real;  // real_time_of(*run, *assessment.plan); absent = not known
  /// Holds the forecast of the plan's epochs if the training continues until a target.
  std::optional<EpochsNeeded> until;
};

/// Returns a table with one row for each run, with costs if offer_of() finds an offer. A note says
/// how far off the forecasts were.
std::vector<Table> forecast_tables(std::span<const ForecastRow> rows,
                                   std::span<const Offer> offers);

struct ForecastAndReal {
  Interval<Seconds> forecast;
  Seconds real;  // > 0
};

/// Returns the error relative to the real time: 0.1 for a forecast that is 10 % too long, -0.1 for
/// one that is 10 % too short.
double error_of(const ForecastAndReal& pair);

struct ForecastErrors {
  std::optional<double> median;  // of the absolute values of error_of(); absent if known = 0
  std::size_t inside = 0;        // real times inside their 95 % intervals
  std::size_t known = 0;         // pairs of a forecast and a real time
};
ForecastErrors errors_of(std::span<const ForecastAndReal> pairs);

/// Returns "median absolute error 3.4 %; 12 of 18 real runs inside their 95 % interval"; an empty
/// text if no real time is known.
std::string describe(const ForecastErrors& errors);

/// Returns these errors for JSON.
Table errors_record(const ForecastErrors& errors);

/// Holds one run and the epochs that it needs to reach a goal.
struct EpochsRow {
  const Run* run = nullptr;  // never nullptr in a row that is shown
  TrainingGoal goal;
  EpochsAssessment assessment;
};

/// Returns a table with one row for each run. `goal` is the end of the title "Epochs until ...".
/// The notes say what each forecast is based on, and its warnings.
std::vector<Table> epochs_tables(std::span<const EpochsRow> rows, const std::string& goal);

}  // namespace lapcast

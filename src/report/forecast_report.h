#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "choose/assessment.h"
#include "choose/epochs_assessment.h"
#include "report/table.h"

namespace lapcast {

/// Holds one run's forecast beside what really happened.
struct ForecastRow {
  const Run* run = nullptr;
  Assessment assessment;
  std::optional<Seconds> real;  // real_time_of() the plan in the run
  std::optional<EpochsNeeded>
      until;  // for a training until a target: where the plan's epochs come from
};

/// Returns one row for each run, with costs where the run has an offer; a note says how far off the
/// forecasts were.
std::vector<Table> forecast_tables(std::span<const ForecastRow> rows,
                                   std::span<const Offer> offers);

}  // namespace lapcast

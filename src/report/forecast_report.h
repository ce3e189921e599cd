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

/// One run's forecast beside what really happened.
struct ForecastRow {
  const Run* run = nullptr;
  Assessment assessment;
  std::optional<Seconds> real;  // real_time_of() the plan in the run
  std::optional<EpochsNeeded> until;  // a training until a target: what the plan's epochs are from
};

/// A row for each, costs where a run has an offer; under them how far off the forecasts were.
std::vector<Table> forecast_tables(std::span<const ForecastRow> rows, std::span<const Offer> offers);

}  // namespace lapcast

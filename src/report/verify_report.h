#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "choose/ranking.h"
#include "choose/regret.h"
#include "report/forecast_errors.h"
#include "report/table.h"

namespace lapcast {

/// A candidate's forecast beside what really happened.
struct VerifiedForecast {
  std::string machine_type;
  std::string settings;
  std::int64_t epochs = 0;  // that forecast and real time are of; 0 = counted in steps
  Interval<Seconds> forecast;
  std::optional<Interval<Money>> forecast_cost = {};
  std::optional<Seconds> real = {};  // of its run to the end; absent = not run
  std::optional<Money> real_cost = {};
  std::optional<double> accuracy = {};
  std::string reason = {};                   // why there is no real one
  std::optional<Money> price_per_hour = {};  // of its offer
};

/// How far the forecasts of a verification were off, and what the picks lost.
struct Verdicts {
  ForecastErrors errors;
  Result<Regret> by_cost = because("nothing was run");
  Result<Regret> by_time = because("nothing was run");
};
Verdicts verdicts_of(const std::vector<VerifiedForecast>& rows);

/// What the probes cost, where every one has a price.
struct ProbeBill {
  std::size_t probes = 0;
  Money total;
};

/// The rows, how far off the forecasts were, the regrets, and last the sentence that one would tell
/// a colleague.
std::vector<Table> verify_tables(const std::vector<VerifiedForecast>& rows, const ProbeBill& bill);

}  // namespace lapcast

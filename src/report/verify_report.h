#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/money.h"
#include "core/seconds.h"
#include "table/table.h"

namespace lapcast {

struct RealRun {
  std::string id;
  std::string started_at;               // UTC, "2026-11-20T12:00:00Z"; empty = not known
  Seconds time{0};                      // of the epochs of the forecast; > 0
  std::optional<Money> cost = {};       // absent = no offer, or no bill
  std::optional<double> accuracy = {};  // best val_accuracy, as a share of 1
};

/// Holds the forecast of a candidate with its full runs.
struct VerifiedForecast {
  std::string machine_type;
  std::string settings;
  std::int64_t epochs = 0;  // of the forecast and the real times; 0 = the plan counts steps
  Interval<Seconds> forecast;
  std::optional<Interval<Money>> forecast_cost = {};  // absent = no offer, or no bill
  std::vector<RealRun> real_runs = {};                // in order of start
  std::string reason = {};  // why there is no forecast cost, or why a full run failed
  std::optional<Money> price_per_hour = {};  // of the offer
};

/// Holds the number and the cost of the probes that can be billed.
struct ProbeBill {
  std::size_t probes = 0;
  Money total;
};

/// Returns a table with one row for each forecast, with the means of the candidate's real runs,
/// and, if a candidate has several of them, a table with one row for each. The first answers in a
/// sentence what the pick costs and how far off the forecasts were; the lines after it say how far
/// off, counting each single real run once, and give the regrets by the means. JSON has tables of
/// the same.
std::vector<Table> verify_tables(const std::vector<VerifiedForecast>& rows, const ProbeBill& bill);

}  // namespace lapcast

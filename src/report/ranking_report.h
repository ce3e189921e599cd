#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "choose/ranking.h"
#include "report/table.h"

namespace lapcast {

/// Holds what the search cost, and what it would have cost to run every candidate to its end.
struct SearchCost {
  Money probes;                        // bill of the probes behind the ranking
  std::size_t probes_counted = 0;      // probes in that bill
  Money everything;                    // forecast of running every candidate to its end
  std::size_t candidates_counted = 0;  // candidates in that forecast
};

/// Returns a table of the choices, the best first, and a table of what is excluded, with reasons.
/// The notes list crossovers, the sources of prices and the cost of the search.
std::vector<Table> ranking_tables(const std::string& title, const Ranking& ranking,
                                  const std::optional<SearchCost>& search);

/// Returns time and cost of each choice at several numbers of epochs, divided by the lowest of all
/// choices, as in tables 5.7 to 5.13 of Malta 2021.
Table relative_table(const Ranking& ranking, const std::vector<std::int64_t>& epochs);

/// Holds the forecast of a candidate beside what its run to the end really took.
struct VerifiedForecast {
  std::string machine_type;
  std::string settings;
  std::int64_t epochs = 0;  // of the forecast and the real time; 0 = the plan counts steps
  Interval<Seconds> forecast;
  std::optional<Interval<Money>> forecast_cost = {};  // absent = no offer, or no bill
  std::optional<Seconds> real = {};                   // absent = not run to its end
  std::optional<Money> real_cost = {};
  std::optional<double> accuracy = {};       // best val_accuracy, as a share of 1
  std::string reason = {};                   // why there is no forecast cost or no real time
  std::optional<Money> price_per_hour = {};  // of the offer
};

/// Holds the number and the cost of the probes that can be billed.
struct ProbeBill {
  std::size_t probes = 0;
  Money total;
};

/// Returns a table of the forecasts. Its notes say how far off they were and what the regrets are;
/// the last one is a summary in one sentence, when the cheapest forecast has a real cost.
std::vector<Table> verify_tables(const std::vector<VerifiedForecast>& rows, const ProbeBill& bill);

}  // namespace lapcast

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "choose/ranking.h"
#include "report/table.h"

namespace lapcast {

/// Holds what the search itself cost and what it saved, for the notes of a ranking.
struct SearchCost {
  Money probes;  // billed for the probes behind the ranking
  std::size_t probes_counted = 0;
  Money everything;  // forecast of running every candidate to the end
  std::size_t candidates_counted = 0;
};

/// Returns the chosen, best first, with intervals, relative columns and probabilities, and after
/// them the excluded with their reasons. The notes tell of crossovers, prices and the search.
std::vector<Table> ranking_tables(const std::string& title, const Ranking& ranking,
                                  const std::optional<SearchCost>& search);

/// Returns relative time and cost of the chosen at several numbers of epochs, as tables 5.7 to 5.13
/// of Malta 2021.
Table relative_table(const Ranking& ranking, const std::vector<std::int64_t>& epochs);

/// Holds the forecast of a candidate beside what really happened.
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

/// Says what the probes cost that have a price.
struct ProbeBill {
  std::size_t probes = 0;
  Money total;
};

/// Returns a table of the forecasts; its notes say how far off they were, what the regrets are, and
/// last a summary in one sentence.
std::vector<Table> verify_tables(const std::vector<VerifiedForecast>& rows, const ProbeBill& bill);

}  // namespace lapcast

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "choose/ranking.h"
#include "report/table.h"

namespace lapcast {

/// Holds what the search itself cost and what it saved; it is shown under a ranking.
struct SearchCost {
  Money probes;  // billed for the probes behind the ranking
  std::size_t probes_counted = 0;
  Money everything;  // forecast of running every candidate to the end
  std::size_t candidates_counted = 0;
};

/// Returns the chosen, best first, with intervals, relative columns and probabilities; then the
/// excluded with their reasons; the notes tell of crossovers, prices and the search.
std::vector<Table> ranking_tables(const std::string& title, const Ranking& ranking,
                                  const std::optional<SearchCost>& search);

/// Returns relative time and cost of the chosen at several numbers of epochs, as tables 5.7 to 5.13
/// of Malta 2021.
Table relative_table(const Ranking& ranking, const std::vector<std::int64_t>& epochs);

}  // namespace lapcast

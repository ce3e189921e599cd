#pragma once

#include <span>
#include <string>
#include <vector>

#include "choose/ranking.h"
#include "report/table.h"

namespace lapcast {

/// What the search itself cost beside what it saved [M]: shown under a ranking.
struct SearchCost {
  Money probes;  // billed for the probes behind the ranking
  std::size_t probes_counted = 0;
  Money everything;  // forecast of running every candidate to the end
  std::size_t candidates_counted = 0;
};

/// A ranking for people: the chosen, best first, with intervals, relative columns and
/// probabilities; then the excluded with their reasons; notes on crossovers, prices and the search.
std::vector<Table> ranking_tables(const std::string& title, const Ranking& ranking,
                                  const std::optional<SearchCost>& search);

/// Columns of relative time and cost at several numbers of epochs, as [M] tables 5.7 to 5.13, for
/// the chosen of a ranking.
Table relative_table(const Ranking& ranking, const std::vector<std::int64_t>& epochs);

}  // namespace lapcast

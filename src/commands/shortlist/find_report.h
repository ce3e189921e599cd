#pragma once

#include <string>
#include <vector>

#include "campaign/machine_search.h"
#include "table/table.h"

namespace lapcast {

/// Holds one probe of a search.
struct SearchStep {
  std::string machine;
  std::string result;        // "enough laps: ...", or why there is no lap
  Money cost;                // of the time that it took
  Percentage regret_before;  // expected
  Percentage regret_after;
};

/// Returns the tables of a search that is over: its rows, its probes in order, and its result. The
/// answer says in one sentence which machine to take and how sure that is.
std::vector<Table> search_tables(const SearchState& state, const std::vector<SearchStep>& steps,
                                 const Preferences& preferences);

}  // namespace lapcast

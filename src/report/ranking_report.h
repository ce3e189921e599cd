#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rank/ranking.h"
#include "table/table.h"

namespace lapcast {

/// Holds the cost of the search, and the forecast cost of running every candidate to its end.
struct SearchCost {
  Money probes;                        // bill of the probes behind the ranking
  std::size_t probes_counted = 0;      // probes in that bill
  Money everything;                    // forecast cost of running every candidate to its end
  std::size_t candidates_counted = 0;  // candidates in that forecast
};

/// Identifies a ranking among those of a command.
struct RankingNumber {
  std::int64_t number = 1;
  bool is_only = true;
  std::optional<std::int64_t> epochs = {};      // those requested
  std::optional<std::int64_t> batch_size = {};  // set if batch sizes are ranked separately
};

/// Returns the lines that name the cheapest and the fastest choice, or the best by score, or say
/// that there is none.
std::vector<std::string> ranking_answer(const Ranking& ranking);

/// Returns a table of the choices, best first, and a table of what is excluded, with reasons. The
/// answer names the cheapest and the fastest choice. The lines after it list crossovers, the
/// sources of prices and the cost of the search. JSON has tables of these, and of the best choices
/// if there is only one ranking.
std::vector<Table> ranking_tables(const std::string& title, const Ranking& ranking,
                                  const std::optional<SearchCost>& search,
                                  const RankingNumber& which = {});

/// Returns the table of the best choice by cost (of a ranking with prices), by time and by score
/// (of a ranking by score), for JSON only.
Table best_table(const Ranking& ranking);

}  // namespace lapcast

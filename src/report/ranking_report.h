#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rank/ranking.h"
#include "table/table.h"

namespace lapcast {

/// Holds what the search cost, and what it would have cost to run every candidate to its end.
struct SearchCost {
  Money probes;                        // bill of the probes behind the ranking
  std::size_t probes_counted = 0;      // probes in that bill
  Money everything;                    // forecast of running every candidate to its end
  std::size_t candidates_counted = 0;  // candidates in that forecast
};

/// Says which ranking of a command this is.
struct RankingNumber {
  std::int64_t number = 1;
  bool is_only = true;
  std::optional<std::int64_t> epochs = {};      // that were asked for
  std::optional<std::int64_t> batch_size = {};  // set where batch sizes are ranked apart
};

/// Returns the lines that name the cheapest and the fastest choice, or the best by score, or say
/// that there is none.
std::vector<std::string> ranking_answer(const Ranking& ranking);

/// Returns a table of the choices, the best first, and a table of what is excluded, with reasons.
/// The answer names the cheapest and the fastest choice. The lines after list crossovers, the
/// sources of prices and the cost of the search. JSON has tables of these, and of the best choices
/// of an only ranking.
std::vector<Table> ranking_tables(const std::string& title, const Ranking& ranking,
                                  const std::optional<SearchCost>& search,
                                  const RankingNumber& which = {});

/// Returns the table of the best choice by cost (of a ranking with prices), by time and by score
/// (of a ranking by score), which only JSON has.
Table best_table(const Ranking& ranking);

}  // namespace lapcast

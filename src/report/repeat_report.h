#pragma once

#include <string>
#include <vector>

#include "rank/repeat_summary.h"
#include "stats/intervals.h"
#include "table/table.h"

namespace lapcast {

/// Returns the tables of repeated runs: a row for each group with its figures over the baseline; a
/// matrix of p-values for each tested metric, with its meaning in words; and for JSON only a row
/// for each test. `set` is the id of their set, `groups` are those of the summary, and `rule` is
/// the rule by which they were repeated.
std::vector<Table> repeat_tables(const std::string& set, const std::vector<RepeatGroup>& groups,
                                 const RepeatSummary& summary, const RepeatRule& rule);

}  // namespace lapcast

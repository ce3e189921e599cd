#pragma once

#include <string>
#include <vector>

#include "rank/repeat_summary.h"
#include "stats/intervals.h"
#include "table/table.h"

namespace lapcast {

/// Returns the tables of repeated runs: a row for each group with its figures over the baseline;
/// for each figure that pairs were tested by a matrix of p-values with what it shows in words; and
/// for JSON alone a row for each test. `set` is the
/// id of their set, `groups` are those that the summary was made of, and `rule` is what they were
/// repeated by.
std::vector<Table> repeat_tables(const std::string& set, const std::vector<RepeatGroup>& groups,
                                 const RepeatSummary& summary, const RepeatRule& rule);

}  // namespace lapcast

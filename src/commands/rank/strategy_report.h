#pragma once

#include <vector>

#include "rank/strategies.h"
#include "table/table.h"

namespace lapcast {

/// Returns the tables of a comparison of methods: each method's values over the smallest of its
/// column, as in table 5.6 of Malta 2021; what each method picks, and how good that is by the real
/// values; the bill of each way of searching, in total and by machine, as in tables 4.4 and 5.14.
std::vector<Table> strategy_tables(const Strategies& strategies);

}  // namespace lapcast

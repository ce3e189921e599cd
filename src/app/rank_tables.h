#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/rank_runs.h"
#include "report/table.h"
#include "store/store.h"

namespace lapcast {

/// Returns the tables that `lapcast rank` shows of a result, without drawings. `request` is that of
/// the result.
std::vector<Table> rank_tables(const RankResult& result, const RankRequest& request);

/// Returns what JSON has of a sweep; `program` has placeholders.
Table sweep_record(const Sweep& sweep, const std::vector<std::string>& program,
                   std::size_t candidates);

}  // namespace lapcast

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "query/rank_runs.h"
#include "store/store.h"
#include "table/table.h"

namespace lapcast {

/// Returns the tables that `lapcast rank` shows of a result, without drawings. `request` is the one
/// that gave the result.
std::vector<Table> rank_tables(const RankResult& result, const RankRequest& request);

/// Says that candidates with different batch sizes are compared at equal epochs.
std::string note_on_batch_sizes();

/// Describes the sweep that is used: "sweep 3f0c8a91d2e4, 6 candidates, begun 2026-11-20T12:00:00Z
/// in /home/me/train: ./train --batch {batch}".
std::string sweep_line(const Sweep& sweep, const std::vector<std::string>& program,
                       std::size_t candidates);

/// Returns the sweep for JSON; `program` has placeholders.
Table sweep_record(const Sweep& sweep, const std::vector<std::string>& program,
                   std::size_t candidates);

}  // namespace lapcast

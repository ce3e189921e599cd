#pragma once

#include <string>
#include <vector>

#include "rank/ranking.h"
#include "table/table.h"

namespace lapcast {

/// Returns the effect of interruptions on the choices on spot machines for which they were
/// simulated: how often to save, and the average parts of the time.
Table spot_table(const Ranking& ranking);

/// Returns notes on a ranking's spot machines: why interruptions do not count, what the figures
/// leave out, and which machine costs more than an uninterrupted one, but would cost less without
/// interruptions.
std::vector<std::string> spot_notes(const Ranking& ranking);

/// Returns whether interruptions were simulated for any choice.
bool has_spot_training(const Ranking& ranking);

}  // namespace lapcast

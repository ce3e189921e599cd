#pragma once

#include <optional>
#include <vector>

#include "core/seconds.h"
#include "rank/ranking.h"

namespace lapcast {

/// Says that from a deadline on a choice is the cheapest of its way of paying.
struct DeadlineCost {
  const Choice* choice = nullptr;  // of the ranking that was asked about
  Seconds deadline{0};             // the shortest one that it meets
};

/// Returns, for each way of paying in the order of Terms, what becomes the cheapest as the deadline
/// gets later: deadlines ascend, costs (the middle of the bill) fall. A choice meets a deadline
/// when its chance to be late is not above `risk`, 0 to 1; without a risk, when the middle of its
/// time is not later. The deadline
/// of the ranking and its risk exclude nothing. Returns nothing where nothing has a price.
std::vector<DeadlineCost> deadline_costs(const Ranking& ranking, std::optional<double> risk);

}  // namespace lapcast

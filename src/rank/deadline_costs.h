#pragma once

#include <optional>
#include <vector>

#include "core/seconds.h"
#include "rank/ranking.h"

namespace lapcast {

/// Says that from a deadline on a choice is the cheapest with its terms of payment.
struct DeadlineCost {
  const Choice* choice = nullptr;  // of the given ranking
  Seconds deadline{0};             // the shortest one that it meets
};

/// Returns, for each way of paying in the order of Terms, which choice becomes the cheapest as the
/// deadline gets later: deadlines ascend, costs (mids of the bills) fall. A choice meets a deadline
/// if its probability of being late is at most `risk`, 0 to 1; without a risk, if the mid of its
/// time is not later. The ranking's own deadline and risk exclude nothing. Returns nothing if no
/// choice has a price.
std::vector<DeadlineCost> deadline_costs(const Ranking& ranking, std::optional<double> risk);

}  // namespace lapcast

#pragma once

#include <cstdint>
#include <span>

#include "spot/deadline_job.h"

namespace lapcast {

/// Returns the least cost of finishing in time when all of `spot` is known in advance, in on-demand
/// prices of one tick, by dynamic programming. `spot` has at least `deadline` ticks.
double hindsight_cost(const DeadlineJob& job, std::span<const std::uint8_t> spot);

}  // namespace lapcast

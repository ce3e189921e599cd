#pragma once

#include <span>
#include <string>

#include "lap/lap_log.h"

namespace lapcast {

/// Returns what a user should know of a rank whose laps took longer than those of the others by
/// more than their noise: "rank 3 on gpu7 is slower than the others: ...". Returns an empty text
/// where no rank stands out, and for fewer than two ranks with 10 laps each. In a training that
/// exchanges gradients in every lap all ranks wait for the slowest, and none stands out.
std::string describe_slow_rank(std::span<const LapLog* const> ranks);

}  // namespace lapcast

#pragma once

#include <cstddef>
#include <span>

#include "lap/lap.h"

namespace lapcast {

/// Laps whose work was only queued on a device end before it is done: their own times say how fast
/// the CPU queues, and the lap that waits for the device pays for all before it.

/// Shares out the cost of each stretch of queued laps, and of the finished lap that ends it, among
/// them by their samples (evenly where they report none), so that queued work cannot look fast. A
/// stretch ends with its phase. costs: one for each lap, in seconds; their sum stays.
void share_out_queued(std::span<const Lap> laps, std::span<double> costs);

/// Laps from the first on whose cost is known: up to the last finished one; the rest may still be
/// going on. All of them where no lap ever finished, for then nothing else is known.
std::size_t known_laps(std::span<const Lap> laps);

}  // namespace lapcast

#pragma once

#include <optional>

#include "core/seconds.h"
#include "lap/lap_log.h"

namespace lapcast {

// A validation or a checkpoint first waits for the device. If the laps before it were queued and
// the log does not tell when the device finished them, as in logs of older hooks, the rest of their
// work looks like a part of the validation or checkpoint.

/// Returns the log with that work moved from the validations and checkpoints to the laps before
/// them, whose last one then has a known end. The laps of the host show how much it is if the
/// device is the bottleneck: with a full queue each takes as long as a lap of the device, and the
/// few before the queue is full take less. Returns nothing if no validation or checkpoint is
/// affected, or if the laps of the host have a robust deviation above 2 %.
std::optional<LapLog> with_drained_queue(const LapLog& log);

/// Returns how much work of laps a validation or checkpoint may contain in a log that
/// with_drained_queue() cannot correct: the longest wait of a lap for the device, 0 if no lap
/// waited or nothing is affected.
Seconds most_queued_at_breaks(const LapLog& log);

}  // namespace lapcast

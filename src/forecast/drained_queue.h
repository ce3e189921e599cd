#pragma once

#include <optional>

#include "core/seconds.h"
#include "lap/lap_log.h"

namespace lapcast {

// A validation or a checkpoint waits for the device first. Where the laps before it were queued and
// the log does not tell when the device ended them, as logs of older hooks, the rest of their work
// looks like a part of it.

/// Returns the log with that work moved from the validations and checkpoints to the laps before
/// them, whose last one then has a known end. The host shows how much it is where the device is the
/// limit: with a full queue each lap of the host takes as long as one of the device, and the few
/// before the queue is full take less. Returns nothing where no validation or checkpoint is
/// concerned, or where the laps of the host are not even, by a robust deviation of 2 %.
std::optional<LapLog> with_drained_queue(const LapLog& log);

/// Returns how much work of laps may be in a validation or checkpoint of a log that
/// with_drained_queue() cannot correct: the longest of the waits for the device that laps had, 0
/// where none did or nothing is concerned.
Seconds most_queued_at_breaks(const LapLog& log);

}  // namespace lapcast

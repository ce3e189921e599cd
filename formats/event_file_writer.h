#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "report/run_timeline.h"
#include "run/run.h"

namespace lapcast {

// A TensorBoard event file is a TFRecord file whose records are messages in protobuf's wire format
// (tensorflow/core/util/event.proto, framework/summary.proto).

/// Returns a record: the little-endian length of the data (8 bytes), the masked CRC-32C of the
/// length (4), the data, and the masked CRC-32C of the data (4).
std::string tf_record(std::string_view data);

/// Returns the event that an event file begins with: the version of the format.
std::string version_event(double wall_time);

/// Returns the event of one scalar. `wall_time` is in seconds since 1970.
std::string scalar_event(double wall_time, std::int64_t step, std::string_view tag, float value);

/// Returns an event file with the scalars of a run: lap/seconds and lap/samples_per_second by lap,
/// validation/seconds and checkpoint/seconds by the laps before them, and metrics/NAME for each
/// metric that the program reported. Queued laps that may not be done yet are left out.
std::string event_file(const RunTimeline& timeline);

/// Returns the name of a run's event file, and that of its folder: program, machine and settings,
/// with all characters but letters, digits and "._=-" replaced, and the run's id.
std::string event_file_name(const RunTimeline& timeline);
std::string event_folder_name(const RunContext& context);

}  // namespace lapcast

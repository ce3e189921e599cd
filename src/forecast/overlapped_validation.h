#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "forecast/lap_profile.h"
#include "forecast/lap_series.h"
#include "lap/lap_log.h"

namespace lapcast {

struct Series;

/// A validation may run in another process or thread while the training goes on. Then it is no
/// pause: it costs what the laps beside it take longer, and its whole length once, at the end of
/// the training, when no lap is left to run beside it.

/// Leaves out the laps that ran beside a validation, where they are fewer than half: they may be
/// slower, and come in clusters that look like changes of the work.
void leave_out_laps_beside(const LapLog& log, FullLaps& full);

/// What such validations of `samples` cost; none when no full one ran beside laps.
std::optional<ValidationCost> overlapped_cost(const Series& series, std::int64_t samples,
                                              const SteadyLaps& steady);

}  // namespace lapcast

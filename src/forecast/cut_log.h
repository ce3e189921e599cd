#pragma once

#include <cstdint>

#include "core/error.h"
#include "lap/lap_log.h"

namespace lapcast {

/// Returns the log as it was when the epoch after the first `epochs` began, like that of a probe
/// stopped at that moment. It includes the begin of that epoch. Epochs are counted in the order of
/// the log, whatever their numbers. Returns the reason when no further epoch began.
Result<LapLog> log_of_first_epochs(const LapLog& log, std::int64_t epochs);

/// Returns the log as it was after the first `laps` laps (at least one), or the reason when it has
/// no more laps than that.
Result<LapLog> log_of_first_laps(const LapLog& log, std::int64_t laps);

}  // namespace lapcast

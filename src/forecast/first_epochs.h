#pragma once

#include <cstdint>

#include "core/result.h"
#include "lap/lap_log.h"

namespace lapcast {

/// Returns the log as it was when the epoch after the first `epochs` began, as a probe has it that
/// was stopped then; that epoch's begin is in it. Epochs are counted as they come, whatever their
/// numbers. Returns the reason when no further epoch began.
Result<LapLog> first_epochs(const LapLog& log, std::int64_t epochs);

/// Returns the log as it was when that many laps were over (at least one), or the reason when it
/// has no more laps than that.
Result<LapLog> first_laps(const LapLog& log, std::int64_t laps);

}  // namespace lapcast

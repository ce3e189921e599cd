#pragma once

#include <cstdint>

#include "core/result.h"
#include "lap/lap_log.h"

namespace lapcast {

/// The log as it stood when the epoch after the first `epochs` began: what a probe would have seen
/// that was stopped there; of that epoch its begin. Epochs are counted as they come, whatever their
/// numbers. Reason when no further epoch began: then there is nothing to leave out.
Result<LapLog> first_epochs(const LapLog& log, std::int64_t epochs);

/// The log as it was when that many laps were over (at least one). Reason when it has no more.
Result<LapLog> first_laps(const LapLog& log, std::int64_t laps);

}  // namespace lapcast

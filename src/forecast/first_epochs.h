#pragma once

#include <cstdint>

#include "core/result.h"
#include "lap/lap_log.h"

namespace lapcast {

/// The log as it stood when the epoch after the first `epochs` began: what a probe would have seen
/// that was stopped there. Epochs are counted as they come, whatever their numbers. Reason when no
/// further epoch began: then there is nothing to leave out.
Result<LapLog> first_epochs(const LapLog& log, std::int64_t epochs);

}  // namespace lapcast

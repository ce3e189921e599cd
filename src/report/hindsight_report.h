#pragma once

#include "report/table.h"
#include "run/run.h"

namespace lapcast {

/// Returns how the forecast of a watched run moved, compared with the time that it really took; for
/// a run that did not end by itself, the last forecast.
Table hindsight_table(const Run& run);

}  // namespace lapcast

#pragma once

#include "report/table.h"
#include "run/run.h"

namespace lapcast {

/// How the forecast of a watched run moved, held against the time that it really took; of a run
/// that did not end by itself what was forecast at last.
Table hindsight_table(const Run& run);

}  // namespace lapcast

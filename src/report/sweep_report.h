#pragma once

#include <span>

#include "report/table.h"
#include "run/run.h"

namespace lapcast {

/// The runs of a sweep, one a row, failed ones with their reason, sorted by machine type and
/// settings.
Table sweep_table(std::span<const Run> runs);

}  // namespace lapcast

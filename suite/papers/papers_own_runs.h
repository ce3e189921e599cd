#pragma once

#include <span>

#include "run/run.h"
#include "suite/papers/figure.h"

namespace lapcast {

/// Adds to a figure of a paper the same of the user's own runs of the suite's programs, as series
/// of their own. Nothing is added where no run fits. Imported runs do not count; of runs with the
/// same machine type and settings means are taken, or else the newest run with laps.
void add_own_series(PaperFigure& figure, std::span<const Run> runs);

}  // namespace lapcast

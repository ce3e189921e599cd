#pragma once

#include <span>

#include "run/run.h"
#include "suite/papers/figure.h"

namespace lapcast {

/// Adds the user's own runs of the suite's programs to a figure of a paper, as series of their own.
/// Adds nothing if no run matches. Imported runs do not count. Draws the means of runs with the
/// same machine type and settings, or the newest of them with laps.
void add_own_series(PaperFigure& figure, std::span<const Run> runs);

}  // namespace lapcast

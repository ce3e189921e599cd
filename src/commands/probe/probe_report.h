#pragma once

#include <functional>

#include "history/assessment.h"
#include "run/run.h"
#include "table/table.h"

namespace lapcast {

/// Returns the main results of a probe in a few lines: first time and cost of the whole training,
/// then their parts and what they are based on. If the length of the training is not known, the
/// lines have `forecast` for several lengths; if nothing was measured, what to do next. `run` is
/// masked(). With `ascii` lapcast's own text is pure ASCII.
Table probe_answer(const Run& run, const Assessment& assessment, bool ascii,
                   const std::function<Assessment(const TrainingPlan&)>& forecast);

}  // namespace lapcast

#pragma once

#include <functional>

#include "history/assessment.h"
#include "run/run.h"
#include "table/table.h"

namespace lapcast {

/// Returns what people want to know of a probe, in a few lines: time and cost of the whole training
/// first, then what they are made of and what they rest on. Where the length of the training is
/// not known, the lines say what several lengths take, by `forecast`; where nothing was measured,
/// what to do next. `run` is masked(). With `ascii` lapcast's own text is nothing but ASCII.
Table probe_answer(const Run& run, const Assessment& assessment, bool ascii,
                   const std::function<Assessment(const TrainingPlan&)>& forecast);

}  // namespace lapcast

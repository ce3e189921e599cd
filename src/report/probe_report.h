#pragma once

#include <functional>

#include "choose/assessment.h"
#include "report/table.h"
#include "run/run.h"

namespace lapcast {

/// Returns what people want to know of a probe, in a few lines: time and cost of the whole training
/// first, then what they are made of and what they rest on. Where the length of the training is
/// not known, the lines say what several lengths take, by `forecast`. `run` is masked().
Table probe_answer(const Run& run, const Assessment& assessment,
                   const std::function<Assessment(const RequestedPlan&)>& forecast);

}  // namespace lapcast

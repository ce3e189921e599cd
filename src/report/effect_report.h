#pragma once

#include "choose/assessment.h"
#include "report/table.h"

namespace lapcast {

/// What was noticed in a run: each effect in plain words, its time and its share of what was seen,
/// and what the forecast makes of it. No rows when there is nothing to tell.
Table effect_table(const Assessment& assessment);

}  // namespace lapcast

#pragma once

#include <cstdint>

#include "run/run.h"

namespace lapcast {

/// Throws Error (usage) where `steps` are planned for an imported run whose laps are several steps
/// each, and says which number of laps or epochs they are.
void refuse_other_steps(std::int64_t steps, const Run& run);

}  // namespace lapcast

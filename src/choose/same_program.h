#pragma once

#include "run/run.h"

namespace lapcast {

/// Whether two runs are of one program under the same settings, whatever the machine and the batch
/// size: the arguments and the settings agree but for the setting "batch" and for the values of
/// options with "batch" in their name (--batch 128, --batch-size=128).
bool are_same_program(const RunContext& a, const RunContext& b);

}  // namespace lapcast

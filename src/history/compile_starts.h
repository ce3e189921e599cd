#pragma once

#include <span>

#include "core/seconds.h"
#include "history/assessment.h"
#include "run/run.h"

namespace lapcast {

/// Returns the assessment for a start that finds its compiled code, where the probe of a run
/// compiled it: that is the next start on its machine. `others` are runs of the same program on the
/// same machine. Where one of them found its compiled code, init, warm-up and the first validation
/// are the means of such runs. Where another one compiled too, caches do not help the program, and
/// nothing changes. Else the warm-up of a cold start and its validations before the first lap are
/// taken to shrink by kShareThatStays, and the interval holds the cold start too. Notes of the
/// profile say so, and for a run that found its code how long a cold start takes where that differs
/// by 10 %. The profile tells the next start in its own members (LapProfile::next_init), so that
/// what is measured stays and a later forecast by it is the same.
Assessment with_compiled_code(Assessment assessment, const Run& run, std::span<const Run> others);

/// Returns whether one of two times of a training differs from the other by so much that both are
/// told: by 10 %.
bool is_worth_saying(Seconds a, Seconds b);

/// Gives what stays of the warm-up of a start that compiled, once the code is in a cache: the first
/// validation and step of torch.compile took 28 s cold and 3.4 s warm on an H200.
inline constexpr Prior kShareThatStays{0.05, 0.3, 1};

}  // namespace lapcast

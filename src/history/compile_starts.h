#pragma once

#include <span>

#include "core/seconds.h"
#include "history/assessment.h"
#include "run/run.h"

namespace lapcast {

/// Returns the assessment for the next start on the run's machine, which finds the code that the
/// run compiled. `others` are runs of the same program on the same machine. If one of them found
/// its compiled code, init, warm-up and the first validation are the means of such runs. If another
/// one compiled too, caches do not help the program, and nothing changes. Otherwise the warm-up of
/// a cold start and its validations before the first lap are taken to shrink by kShareThatStays,
/// and the interval includes the cold start. Notes of the profile say so; for a run that found its
/// code they say how long a cold start takes if that differs by 10 %. The profile has separate
/// members for the next start (LapProfile::next_init), so that measured values stay and a later
/// forecast from it is the same.
Assessment with_compiled_code(Assessment assessment, const Run& run, std::span<const Run> others);

/// Returns whether two times of a training differ so much that both are shown: by 10 %.
bool is_worth_saying(Seconds a, Seconds b);

/// Gives the share of a compiling start's warm-up that stays once the code is in a cache: the first
/// validation and step of torch.compile took 28 s cold and 3.4 s warm on an H200.
inline constexpr Prior kShareThatStays{0.05, 0.3, 1};

}  // namespace lapcast

#pragma once

#include <string_view>

#include "accuracy/probe.h"
#include "core/result.h"

namespace lapcast::accuracy {

/// Iterations of a probe that judges by progress lines.
inline constexpr std::int64_t kFirstIterations = 100;

/// A probe that saw the first 100 iterations that the program's progress lines report, and knows
/// what one evaluation costs, as after one epoch on a cheaper machine. Each line's time is shared
/// among its iterations: they are the laps. The number of epochs and of evaluations is given. The
/// papers' formula: the first line, the other iterations at the mean of those after it, evaluations
/// ([M] eq. 5.3).
/// Reason when it cannot be judged: no lines, no batch size, a data set of unknown size ...
Result<Probe> probe_of_iterations(const LoggedRun& run);

/// Samples of an epoch of the benchmark's data set, which its user knows; 0 = not known.
double samples_of_epoch(std::string_view benchmark);

}  // namespace lapcast::accuracy

#pragma once

#include <string_view>

#include "accuracy/probe.h"
#include "core/error.h"

namespace lapcast::accuracy {

/// Is the number of iterations of a probe that judges by progress lines.
inline constexpr std::int64_t kFirstIterations = 100;

/// Returns a probe of the first 100 iterations of the program's progress lines, which knows the
/// cost of one evaluation, as after one epoch on a cheaper machine. The time of each line is shared
/// among its iterations, which are the laps. The numbers of epochs and evaluations are given. The
/// papers' formula is the first line, plus the other iterations at the mean of the later lines,
/// plus the evaluations (Malta, "Selecting efficient VM types to train deep learning models on the
/// cloud", thesis, Unicamp, 2021, equation 5.3).
/// Returns a Reason when the run cannot be judged: no lines, no batch size, a data set of unknown
/// size ...
Result<Probe> probe_of_iterations(const LoggedRun& run);

/// Returns the samples per epoch of the benchmark's data set, which its user knows, or 0 when not
/// known.
double samples_of_epoch(std::string_view benchmark);

}  // namespace lapcast::accuracy

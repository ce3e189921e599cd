#pragma once

#include <string>
#include <vector>

#include "accuracy/dropped.h"
#include "accuracy/evaluation_curves.h"
#include "accuracy/submitter_parts.h"

namespace lapcast::accuracy {

/// Forecasts the epochs to the target from the first half of each run's evaluations and the whole
/// curves of the other runs of the benchmark. Returns one row per benchmark and one for all: "row"
/// when the other runs are those of the other part of the submitters, "part" for the two parts
/// separately, "fitted" when they are those of the run's own part (without the run itself). It
/// judges the runs that reached the target after at least half of their evaluations and counts the
/// others in `dropped`.
///
/// The columns are separated by tabs: "row", group, "half of the evaluations", runs, the median and
/// the 90th percentile of the baseline (a power law through the first half), then ours, the
/// coverage of the interval and the share of "not reached", all in percent. Errors are those of the
/// epochs, "inf" for forecasts of "not reached".
std::vector<std::string> epochs_to_target(const std::vector<EvaluatedRun>& runs,
                                          const SubmitterParts& parts, Dropped& dropped);

}  // namespace lapcast::accuracy

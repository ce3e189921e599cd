#pragma once

#include <string>
#include <vector>

#include "accuracy/dropped.h"
#include "accuracy/evaluation_curves.h"
#include "accuracy/submitter_parts.h"

namespace lapcast::accuracy {

/// Forecasts of the epochs to the target, from the first half of each run's evaluations and the
/// whole curves of the runs of the same benchmark: one row for each benchmark and one for all.
/// "row" where the other runs are those of the other part of the submitters, "part" for the two
/// parts of these, "fitted" where they are those of the run's own part (itself apart). Judged are
/// the runs that reached the target, not before half of their evaluations; others are counted in
/// `dropped`.
///
/// Tab-separated: "row", group, "half of the evaluations", runs, the baseline's median and 90th
/// percentile (a power law through the first half), ours, coverage of the interval, share for which
/// "not reached" was said; all in percent. An error is that of the epochs; where a forecast says
/// "not reached" it is "inf".
std::vector<std::string> epochs_to_target(const std::vector<EvaluatedRun>& runs,
                                          const SubmitterParts& parts, Dropped& dropped);

}  // namespace lapcast::accuracy

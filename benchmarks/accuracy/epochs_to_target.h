#pragma once

#include <string>
#include <vector>

#include "accuracy/dropped.h"
#include "accuracy/evaluation_curves.h"
#include "accuracy/submitter_parts.h"

namespace lapcast::accuracy {

/// Forecasts the epochs to the target from the first 30, 50 and 70 % of the evaluations that a run
/// made until it, one row for each share, benchmark and kind, and for all benchmarks: "row" with
/// the whole curves of the other part of the submitters, "alone" with none, "fitted" with those of
/// the run's own part (without the run itself). Runs that did not reach the target are counted in
/// `dropped`.
///
/// The columns are separated by tabs: kind, group, "30 % of the evaluations", runs, the median and
/// the 90th percentile of a power law through what was seen, of twice the epochs that were seen,
/// and of ours, the coverage of the interval and the share of "not reached", all in percent. Errors
/// are those of the epochs, "inf" for "not reached" and where there is no forecast.
std::vector<std::string> epochs_to_target(const std::vector<EvaluatedRun>& runs,
                                          const SubmitterParts& parts, Dropped& dropped);

}  // namespace lapcast::accuracy

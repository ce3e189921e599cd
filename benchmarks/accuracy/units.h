#pragma once

#include <vector>

#include "accuracy/logged_run.h"
#include "core/error.h"

namespace lapcast::accuracy {

/// Holds the units that the run's given number counts: epochs or blocks, each until the next one
/// begins, or the intervals between the results of evaluations.
struct Units {
  std::vector<double> end;     // seconds since run_start; ascending
  std::vector<double> weight;  // epochs or steps of a block, otherwise 1
};

Units units_of(const LoggedRun& run);

/// Returns the time of the whole run from its first `seen` units by the papers' formula: the first
/// unit, plus the others at the pace of the second one, or at the median pace of those from the
/// second one on (Malta, thesis, Unicamp, 2021, equation 4.1). `given` is the number of units of
/// the whole run. Needs seen >= 2 and as many units.
double papers_total(const Units& units, double given, std::size_t seen);

}  // namespace lapcast::accuracy

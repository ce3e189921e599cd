#pragma once

#include <vector>

#include "accuracy/logged_run.h"
#include "core/result.h"

namespace lapcast::accuracy {

/// The units of a run that its given number counts: an epoch or a block until the next one begins,
/// or what lies between two results of evaluations.
struct Units {
  std::vector<double> end;     // seconds since run_start; ascending
  std::vector<double> weight;  // what each counts for: epochs or steps of a block, else 1
};

Units units_of(const LoggedRun& run);

/// The time of the whole run from its first `seen` units by the papers' formula: the first unit,
/// and the others at the pace of the second, or at the median pace of those from the second on
/// ([M] eq. 4.1). `given`: units of the whole run. Needs seen >= 2 and as many units.
double papers_total(const Units& units, double given, std::size_t seen);

}  // namespace lapcast::accuracy

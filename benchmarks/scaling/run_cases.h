#pragma once

#include <string>

#include "shortlist/judged.h"

namespace lapcast::scaling {

/// Judges forecasts of whole MLPerf runs on more accelerators from a run of the same submitter on
/// fewer, and prints them. What more accelerators lose is fitted to the other benchmarks.
void judge_runs(const std::string& folder, shortlist::Goals& goals);

}  // namespace lapcast::scaling

#pragma once

#include <string>

#include "shortlist/judged.h"

namespace lapcast::scaling {

/// Judges forecasts of vTrain's laps in other layouts of one network, and prints them: on one node
/// from four corner layouts, on many from six laps, each where the forecast was least sure.
void judge_layouts(const std::string& folder, shortlist::Goals& goals);

}  // namespace lapcast::scaling

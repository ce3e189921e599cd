#pragma once

#include <map>
#include <string>
#include <vector>

#include "accuracy/logged_run.h"

namespace lapcast::accuracy {

/// Splits the submitters into two parts: forecasts of one part are fitted on the other.
struct SubmitterParts {
  std::map<std::string, int> part;  // 0 or 1 for each submitter
  std::map<std::string, int> runs;  // for each submitter
};

/// Assigns the submitter with the most runs first, each to the part with fewer runs so far, so the
/// parts are always the same for the same runs. `submitters` has one entry per run.
SubmitterParts split(const std::vector<std::string>& submitters);

}  // namespace lapcast::accuracy

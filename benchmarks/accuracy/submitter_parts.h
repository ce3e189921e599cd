#pragma once

#include <map>
#include <string>
#include <vector>

#include "accuracy/logged_run.h"

namespace lapcast::accuracy {

/// The submitters in two parts: what is judged in one is fitted on the other.
struct SubmitterParts {
  std::map<std::string, int> part;      // of each submitter: 0 or 1
  std::map<std::string, int> runs;      // of each submitter
};

/// The submitter with the most runs first, each to the part with fewer runs so far: always the same
/// parts for the same runs. `submitters`: one for each run.
SubmitterParts split(const std::vector<std::string>& submitters);

}  // namespace lapcast::accuracy

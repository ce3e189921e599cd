#pragma once

#include <string>
#include <vector>

#include "run/run.h"

namespace lapcast {

/// What an old log, written by something else, turned out to hold. Contract: docs/import.md.
struct ImportedLog {
  std::vector<Run> runs;
  std::vector<std::string> problems;  // why (part of) it is no run; one line each, with its place
};

}  // namespace lapcast

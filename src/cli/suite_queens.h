#pragma once

#include <string>
#include <vector>

#include "app/repeat_runs.h"
#include "cli/suite_options.h"
#include "suite/queens.h"

namespace lapcast {

/// What only nqueens is told.
struct QueensOptions {
  std::string boards;  // empty = the workload's own
  std::string algorithm;

  void add_to(CLI::App& app);
};

/// Each board on one thread, on all cores (where there are several) and on the GPU (where there is
/// one; --device cuda asks for it in any case, --device cpu leaves it out). A mode that fails is a
/// row with its reason, and is not tried on larger boards.
std::vector<QueensRuns> run_queens(const Workload& workload, const SuiteOptions& options,
                                   const QueensOptions& queens,
                                   const std::vector<std::string>& more, RepeatedRuns& runs,
                                   bool& interrupted);

}  // namespace lapcast

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "campaign/measuring.h"
#include "suite/driver/queens.h"
#include "suite/driver/queens_report.h"
#include "suite/driver/repeat_runs.h"
#include "suite/driver/suite_options.h"
#include "suite/driver/workload.h"

namespace lapcast {

struct QueensOptions {
  std::string boards;      // empty = the workload's own
  std::int64_t max_n = 0;  // the largest board; 0 = no limit
  std::string algorithm;
  QueensBaselines baselines;  // its server is that of SuiteFleetOptions

  void add_to(CLI::App& app);
  /// Returns the boards to count, ascending. Throws Error (usage) if there are none.
  std::vector<int> board_sizes(const Workload& workload) const;
};

/// Runs each board on one thread, on all cores (if there are several) and on the GPU if there is
/// one (--device cuda always uses it, --device cpu never), after telling how long that will take. A
/// mode that fails is a row with its reason, and is not tried on larger boards. `more` are
/// arguments for the program.
std::vector<QueensRuns> run_queens(const Workload& workload, const SuiteOptions& options,
                                   const QueensOptions& queens,
                                   const std::vector<std::string>& more, RepeatedRuns& runs,
                                   bool& interrupted);

/// Holds the boards of a fleet, and the outcome of its repeats.
struct FleetQueens {
  std::vector<QueensRuns> boards;
  bool interrupted = false;
};

/// Does what run_queens() does on every machine of a fleet; uses the GPU with --device cuda or if
/// this machine has one. `runs` times the boards of the estimate. Throws Error as run_repeats()
/// does.
FleetQueens run_queens_on_fleet(const Workload& workload, const SuiteOptions& options,
                                const QueensOptions& queens, SuiteFleetOptions fleet,
                                const std::vector<std::string>& more, RepeatedRuns& runs,
                                const MeasuringTools& tools);

}  // namespace lapcast

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "probe/supervisor.h"
#include "run/run.h"

namespace CLI {
class App;
}

namespace lapcast {

/// The options that every command which starts programs shares, as text until they are checked.
struct ProbeOptions {
  RequestedPlan plan;
  std::string precision = "2%";
  std::int64_t max_laps = 0;
  std::string budget = "60s";
  std::string grace = "5s";
  std::string run_parent;
  bool keep_run_folder = false;
  bool no_hook = false;

  void add_plan_to(CLI::App& app);    // with those of add_samples_to()
  void add_limits_to(CLI::App& app);  // with those of add_start_to()
  void add_start_to(CLI::App& app);   // with those of add_end_to()
  void add_end_to(CLI::App& app);
  /// Throw Error (usage) for a text that is no duration or share.
  ProbeLimits limits() const;
  ProbeRequest request(RunContext context) const;
};

/// Adds --samples, --val-samples, --validate-every and --validate-from.
void add_samples_to(CLI::App& app, RequestedPlan& plan);

/// Adds --alone: a run is forecast from its own laps only.
void add_alone_to(CLI::App& command, bool& alone);

/// The part of a context that does not depend on the candidate: program, working folder, version,
/// machine.
RunContext common_context(const std::vector<std::string>& program, const RequestedPlan& plan);
/// The same on a machine that was described before.
RunContext common_context(const std::vector<std::string>& program, const RequestedPlan& plan,
                          MachineDescription machine);

/// Prints a run's warnings, the notes in its lap logs and, when it failed, the last lines that the
/// program printed, on stderr.
void tell_trouble(const Run& run);

}  // namespace lapcast

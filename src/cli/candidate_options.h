#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "campaign/fleet_repeats.h"
#include "campaign/sweep_plan.h"
#include "cli/commands.h"
#include "fleet/candidates.h"
#include "stats/intervals.h"

namespace lapcast {

/// Holds the options that say which candidates of a fleet are measured.
struct CandidateOptions {
  std::string fleet_file;
  std::vector<std::string> offer_files;
  std::string batch;
  std::vector<int> workers;
  std::vector<std::string> settings;
  std::string power_limits;
  std::optional<Money> price;

  void add_to(CLI::App& app);
  /// Copies the options into a request. `command` is named in messages. Throws Error (usage) for a
  /// setting that is given twice and for text that is not a setting or power limit.
  void take_into(SweepRequest& request, const Globals& globals, const std::string& command) const;
};

/// Returns the values that --batch, --workers and --set give to placeholders. Throws Error (usage)
/// for a setting that is given twice and for text that is not a setting.
PlaceholderValues values_of(const std::string& batch, const std::vector<int>& workers,
                            const std::vector<std::string>& settings);

/// Adds --name, --again and --keep.
void add_going_on_to(CLI::App& app, SweepRequest& request);

struct FleetRepeatOptions {
  std::size_t repeats = 0;      // 0 = the default
  std::optional<double> until;  // nothing = a fixed number of runs
  std::optional<int> warm_ups;  // nothing = the default
  std::string baseline;
  std::string server;

  /// Adds --repeats and --until.
  void add_rule_to(CLI::App& app);
  /// Adds --warm-up, --baseline and --server below a heading of the help.
  void add_rest_to(CLI::App& app, const char* group);
  /// Returns whether any option of add_rest_to() is given.
  bool has_rest() const { return warm_ups || !baseline.empty() || !server.empty(); }
  void fill_in(FleetRepeatRequest& request) const;
  RepeatRule rule() const;
};

/// Runs a plan, prints its tables and returns the exit code of the command.
ExitCode print_repeats(const Globals& globals, const FleetRepeatPlan& plan);

}  // namespace lapcast

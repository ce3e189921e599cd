#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/option_table.h"
#include "cli/run_options.h"
#include "fleet/candidates.h"
#include "rank/preferences.h"
#include "rank/transferred_cases.h"

namespace lapcast {

/// Holds the options that say what was measured at home, and what a forecast from there is for.
struct HomeOptions {
  std::string batch;
  std::vector<int> workers;
  std::vector<std::string> settings;
  ProbeOptions probe;
  std::vector<std::string> from;
  std::string profile;
  std::string accelerator;
  std::string numbers;
  std::string by = "cost";
  Preferences preferences;
  bool again = false;
  bool alone = false;

  void add_to(CLI::App& app);
  /// Adds --by, --deadline and --max-cost.
  void add_limits_to(CLI::App& app, const char* group);
  /// Adds what the training is, and how long probes take.
  void add_probes_to(CLI::App& app);

  /// Returns the values of the program's placeholders.
  PlaceholderValues values() const;
  Preferences wanted() const;
  /// Returns what stored runs, a profile or probes on this machine say of the program. Returns
  /// nothing when the user interrupted the probes. Throws Error when nothing can be said.
  std::optional<HomeMeasurement> measure(const Globals& globals, const std::string& command) const;

 private:
  std::optional<std::vector<Run>> runs(const Globals& globals, const std::string& command,
                                       Store& store) const;
};

}  // namespace lapcast

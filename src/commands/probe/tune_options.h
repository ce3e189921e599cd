#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "campaign/race_campaign.h"
#include "cli/commands.h"
#include "cli/rent_options.h"
#include "fleet/fleet.h"
#include "probe/request.h"

namespace lapcast {

/// Holds the options of a tuning; names of settings are checked later.
struct TuneOptions {
  std::string tune;  // names of settings; empty = no tuning
  std::vector<std::string> tried;
  std::string env_file;
  RaceBudget search_budget;
  std::size_t repeats = 5;
  bool again = false;
  bool keep = false;
  std::vector<std::string> to;  // a machine and its fleet file; empty = this machine
  RentOptions rent;

  void add_to(CLI::App& app);
  bool is_wanted() const { return !tune.empty() || !tried.empty(); }
  /// Returns the name of the machine; empty = this machine.
  std::string machine() const { return to.empty() ? "" : to.front(); }
  std::string fleet_file() const { return to.empty() ? "" : to.back(); }
};

/// Tunes the program of a probe, prints the tables and writes the file. `named` is the machine of
/// the fleet file that the probe is for, if the options name one. Throws Error (usage) for text
/// that is not a setting or variable, and for a machine that has to be rented without a budget.
ExitCode tune(const Globals& globals, const TuneOptions& options, ProbeRequest probe,
              const FleetMachine* named = nullptr);

}  // namespace lapcast

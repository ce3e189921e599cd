#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "campaign/race_campaign.h"
#include "cli/commands.h"
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

  void add_to(CLI::App& app);
  bool is_wanted() const { return !tune.empty() || !tried.empty(); }
};

/// Tunes the program of a probe, prints the tables and writes the file. Throws Error (usage) for
/// text that is not a setting or variable.
ExitCode tune(const Globals& globals, const TuneOptions& options, const ProbeRequest& probe);

}  // namespace lapcast

#pragma once

#include <string>

#include "cli/option_table.h"
#include "fleet/race_campaign.h"

namespace lapcast {

/// Holds the options of a race, as text until they are checked.
struct RaceOptions {
  bool race = false;
  std::string confidence = "95%";
  std::string search_budget;
  std::string by = "front";
  bool same_epochs = false;

  void add_to(CLI::App& app);
  /// Returns what the options ask for. Throws Error (usage) for what is no share, time or amount.
  RaceRequest order() const;
};

/// Parses "10m", "90" (seconds), "2.50USD" or "$2.50"; "" is no budget. Throws Error (usage).
RaceBudget parse_search_budget(const std::string& text);

}  // namespace lapcast

#pragma once

#include <string>

#include "campaign/race_campaign.h"
#include "cli/option_table.h"

namespace lapcast {

struct RaceOptions {
  bool race = false;
  double confidence = 0.95;
  RaceBudget search_budget;
  std::string by = "front";
  bool same_epochs = false;

  void add_to(CLI::App& app);
  RaceRequest order() const;
};

/// Parses "10m", "90" (seconds), "2.50USD" or "$2.50". Throws Error (usage) for values not above 0.
RaceBudget parse_search_budget(const std::string& text);

}  // namespace lapcast

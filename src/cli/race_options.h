#pragma once

#include <string>
#include <vector>

#include "cli/globals.h"
#include "fleet/race_campaign.h"

namespace CLI {
class App;
}

namespace lapcast {

/// The options of a race, as text until they are checked.
struct RaceOptions {
  bool race = false;
  std::string confidence = "95%";
  std::string search_budget;
  std::string by = "front";
  bool same_epochs = false;

  void add_to(CLI::App& command);
  /// Throws Error (usage) for what is no share, time or amount of money.
  RaceOrder order() const;
};

/// "10m", "90" (seconds), "2.50USD", "$2.50". Throws Error (usage).
SearchBudget parse_search_budget(const std::string& text);

}  // namespace lapcast

#pragma once

#include <string>

#include "app/rank_runs.h"

namespace CLI {
class App;
}

namespace lapcast {

/// Holds the options that rank runs; durations, amounts and shares as text until they are checked.
struct RankOptions {
  RankRequest request;  // without preferences
  std::string by = "cost";
  double weight = 0.5;
  std::string deadline, max_cost, min_accuracy;

  void add_to(CLI::App& command);
  /// Returns the request with its preferences. Throws Error (usage) for a text that is no duration,
  /// amount or share.
  RankRequest checked() const;
};

}  // namespace lapcast

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "app/forecast_run.h"
#include "choose/ranking.h"
#include "cli/selection.h"

namespace CLI {
class App;
}

namespace lapcast {

/// Which runs are ranked, and by what; as text until it is checked.
struct RankOptions {
  Selection selection;
  std::vector<std::int64_t> epochs;
  RequestedPlan plan;  // without the epochs
  std::string by = "cost";
  double weight = 0.5;
  std::string deadline, max_cost, min_accuracy;
  bool same_epochs = false;
  bool with_queue = false;
  bool alone = false;

  void add_to(CLI::App& command);
  /// Throws Error (usage) for a text that is no duration, amount or share.
  Preferences preferences() const;
};

/// Probes that may stand in one ranking, by batch size; all of them under 0 where they may be
/// compared with each other.
std::map<std::int64_t, std::vector<const Run*>> ranking_groups(const Selected& selected,
                                                               const RankOptions& options);

/// The probes as candidates, trained for that many epochs; 0 = as learned, else as planned.
std::vector<Candidate> candidates_at(const std::vector<const Run*>& probes, std::int64_t epochs,
                                     const RankOptions& options, const Selected& selected,
                                     RunForecaster& forecaster);

/// The first row of a ranking, with the run that it is forecast from.
struct Winner {
  Run run;
  Choice choice;
  double expected_regret = 0;
};

/// The first of the only ranking that the options ask for. Throws Error: usage where they ask for
/// several, some_failed where nothing could be ranked.
Winner winner_of(const Globals& globals, const RankOptions& options);

}  // namespace lapcast

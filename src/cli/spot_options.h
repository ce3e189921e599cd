#pragma once

#include <string>

#include "query/rank_runs.h"
#include "rank/spot_training.h"

namespace CLI {
class App;
}

namespace lapcast {

/// Holds the options that say what interruptions of spot machines do to a training: those of `rank`
/// and `spot`.
struct SpotOptions {
  SpotAssumptions assumed;
  std::string trace;  // empty = not given

  void add_to(CLI::App& app);
  /// Throws Error (usage) for options that contradict each other.
  void check() const;
  /// Adds the assumptions and the trace to a request. Throws Error as check() does.
  void fill_in(RankRequest& request) const;
};

}  // namespace lapcast

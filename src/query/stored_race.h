#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <vector>

#include "history/assessment.h"
#include "rank/race.h"
#include "run/run.h"
#include "store/store.h"
#include "table/table.h"

namespace lapcast {

/// Holds what the store knows of the command that ran a race.
struct StoredRace {
  RaceGoal goal = RaceGoal::front;
  bool same_epochs = false;  // as given by --same-epochs
};
/// Returns nullopt for a sweep that was not a race.
std::optional<StoredRace> race_of(const Sweep& sweep);

/// Returns the tables of a race from its runs in the store, as the command that ran it shows them.
/// The confidence and the length of a plain probe are the defaults, because only its command line
/// has them.
std::vector<Table> stored_race_tables(const StoredRace& order, std::span<const Run> runs,
                                      const RunAssessor& assessor);

/// Returns the stretches in which the runs of a race were active, in seconds since its first run
/// began. The last stretch of a candidate that is out has the reason.
nlohmann::ordered_json race_timeline(std::span<const Run> runs);

}  // namespace lapcast

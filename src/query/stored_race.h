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
  bool same_epochs = false;  // as --same-epochs said
};
/// Returns nothing for a sweep that was not a race.
std::optional<StoredRace> race_of(const Sweep& sweep);

/// Returns the tables of a race by its runs in the store, as the command that ran it shows them.
/// What its command line alone knows is as by default: the confidence, and the length of a plain
/// probe.
std::vector<Table> stored_race_tables(const StoredRace& order, std::span<const Run> runs,
                                      const RunAssessor& assessor);

/// Returns the stretches in which the runs of a race went on, in seconds since its first run began.
/// The last stretch of a candidate that is out has the reason.
nlohmann::ordered_json race_timeline(std::span<const Run> runs);

}  // namespace lapcast

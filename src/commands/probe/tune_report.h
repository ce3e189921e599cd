#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/seconds.h"
#include "rank/race_result.h"
#include "rank/tuning.h"
#include "table/table.h"

namespace lapcast {

struct TuneFigures {
  std::span<const TuneRow> rows;      // the default first
  std::span<const TuneRow> changing;  // their base first; may be empty
  const TuneVerdict& verdict;
  std::optional<Seconds> default_time;  // of the whole training with the default
  std::int64_t assumed_steps = 0;       // above 0: times are for this many iterations
  Expense spent;
  bool budget_spent = false;
  std::optional<double> gpu_busy = {};  // share of the training with the default
  std::string gpu_note = {};            // what a busy GPU meant for the search; may be empty
  std::string machine = {};             // of a fleet file; empty = this machine
};

/// Returns the tables of a tuning: its settings, those that change results, and the combination
/// found, whose answer says how much slower the default is.
std::vector<Table> tune_tables(const TuneFigures& figures);

}  // namespace lapcast

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/commands.h"
#include "cli/option_table.h"
#include "cli/spot_options.h"
#include "core/seconds.h"
#include "query/rank_runs.h"

namespace lapcast {

struct RankOptions {
  RankRequest request;  // options write into it directly
  std::string by = "cost";
  std::string conditions;  // empty = as the forecaster decides
  bool energy = false;
  std::string numbers;
  SpotOptions spot;
  std::string costs = "full";
  std::optional<std::int64_t> snapshots;
  std::optional<Seconds> snapshots_kept;

  void add_to(CLI::App& app);
  /// Returns the request with its preferences. Throws Error (usage) for options that contradict
  /// each other.
  RankRequest checked(const Globals& globals) const;

 private:
  void add_unmeasured_to(CLI::App& app);
  void add_what_costs_to(CLI::App& app);
  void add_energy_to(CLI::App& app);
};

}  // namespace lapcast

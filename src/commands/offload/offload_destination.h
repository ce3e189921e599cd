#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/rank_options.h"
#include "cli/run_options.h"
#include "fleet/fleet_file.h"
#include "price/quote.h"
#include "run/run.h"

namespace lapcast {

/// Holds the options of `lapcast offload`, as text until they are checked.
struct OffloadArguments {
  std::string to = "BEST";
  std::string fleet_file;
  RankOptions ranking;
  std::string batch;
  std::vector<std::string> settings;
  ProbeOptions start;
  WatchLimitOptions limits;
  std::optional<Seconds> time_limit;
  std::string resume_flag;
  std::string checkpoints = "*";
};

/// Describes one machine and one combination of settings for a whole training.
struct Destination {
  FleetMachine machine;
  RunContext context;
  std::string sweep = {};           // sweep_line() of the sweep for which BEST was chosen
  std::optional<Quote> quote = {};  // of the whole training, if BEST was chosen
};

/// Returns the machine of --to, or the first of the ranking for BEST. Throws Error (usage) if the
/// options do not name exactly one destination, or one that must not be run.
Destination destination_of(const Globals& globals, const OffloadArguments& options);

/// Returns how the training resumes after it was cut off, if --resume-flag says so. Throws Error
/// (usage) for a --checkpoints that is not a valid pattern.
std::optional<ResumePlan> resume_plan(const OffloadArguments& options);

}  // namespace lapcast

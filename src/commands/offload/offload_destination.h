#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/rank_options.h"
#include "cli/run_options.h"
#include "fleet/fleet_file.h"
#include "price/quote.h"
#include "probe/request.h"
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
  std::vector<std::string> sessions;    // names of machines; empty = it runs on one, --to
  std::optional<Seconds> session_time;  // of each session; nothing = until it is cut off
  bool again = false;                   // begin the sessions' training anew
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

/// Returns the machines of --sessions, in turn. Throws Error (usage) if one is not in the fleet
/// file, has to be rented, or needs more than one value for a placeholder.
std::vector<Destination> session_machines(const Globals& globals, const OffloadArguments& options);

/// Returns the request that runs the whole training there, under an id of its own. Throws Error
/// (usage) for limits that make no sense.
ProbeRequest training_request(const OffloadArguments& options, const Destination& destination);

/// Makes the request ask its queue for the time of the training, which is another than that of
/// probes. Returns the line that says so; nothing on a machine without a queue.
std::optional<std::string> ask_queue(ProbeRequest& request, const Store& store,
                                     const OffloadArguments& options);

/// Returns how the training resumes after it was cut off, if --resume-flag says so. Throws Error
/// (usage) for a --checkpoints that is not a valid pattern.
std::optional<ResumePlan> resume_plan(const OffloadArguments& options);

}  // namespace lapcast

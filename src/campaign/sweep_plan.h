#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "campaign/chosen_campaign.h"
#include "campaign/race_campaign.h"
#include "core/error.h"
#include "fleet/candidates.h"
#include "fleet/fleet_file.h"
#include "probe/request.h"
#include "run/run.h"

namespace lapcast {

/// Asks for the number of epochs after which a training stops improving.
struct EpochSearch {
  int patience = 5;  // epochs without improvement
  std::string metric = "val_accuracy";
  std::size_t repeats = 1;  // trainings of each setting; says how much is measured, not what
};

/// Is the default number of rounds of a sweep.
inline constexpr int kRounds = 3;

struct SweepRequest {
  std::string fleet_file;                     // empty = this machine alone, or `offered`
  std::optional<Fleet> offered = {};          // machines that adapters rent now, instead of a file
  std::optional<Offer> price = {};            // of this machine alone
  std::vector<std::string> offer_files = {};  // catalogs of the file's offers; empty = lapcast's
  std::string own_prices = {};                // as read_own_prices() takes it
  PlaceholderValues values;                   // they replace those of the fleet file
  std::vector<DataSet> data = {};  // that the program reads on remote machines, besides the file's
  ProbeRequest probe;              // what all probes share: program, plan, this machine, limits
  std::optional<EpochSearch> find_epochs = {};  // before the probes, once for each setting
  std::optional<int> rounds = {};               // in which probes are made; none = kRounds
  std::size_t confirm = 0;               // how many to probe again, the first by cost and by time
  std::string name = {};                 // the user's name of a new sweep
  std::string typed = {};                // the command, secrets masked
  bool again = false;                    // measures everything again
  bool allow_oom = false;                // a search for batches may take all memory of a machine
  bool keep = false;                     // goes on although the program's files changed
  bool retry_failed = false;             // probes failed candidates once more
  std::optional<RaceRequest> race = {};  // instead of plain probes
  ProbeChooser choose = {};              // which plain probe is next; empty = all are made
};

/// Holds a checked request with its candidates.
struct SweepPlan {
  SweepRequest request;
  Fleet written;  // the fleet file as it is
  Fleet fleet;    // with a machine for each type of node that is up
  std::vector<RunContext> candidates;
  bool finds_batch = false;  // {batch} is kAutoBatch
  bool has_seeds = false;    // lapcast itself fills in {seed}, with the number of a training
  std::map<std::string, Reason> impossible;  // candidates that cannot run, by candidate_name()
  std::vector<std::string> warnings;         // for the user, about the catalogs that were read
};

/// Reads the fleet file and checks that the sweep can begin. Throws Error when the file names an
/// offer that no catalog has, when its values and the placeholders of the program do not match,
/// when the program cannot be found, or when no candidate can run. A {seed} without values gets
/// the value 0 where trainings are repeated.
SweepPlan plan_sweep(const SweepRequest& request);

/// Returns why the plan's candidate cannot run; nullptr when it can.
const Reason* why_impossible(const SweepPlan& plan, const RunContext& candidate);

/// Returns the probe of a candidate on its machine of the fleet.
ProbeRequest probe_of(const SweepRequest& request, const Fleet& fleet, RunContext context);

/// Returns a key that is the same for plans of the same sweep. It covers all that can change the
/// results, not what only says how much is measured (confirm, retry_failed, choose, the budget of a
/// race). The machines that adapters offer come and go, and are in no key.
/// Prices change only a race; with `as_before` they are in every key, as in lapcast before 0.1.0.
std::string key_of(const SweepPlan& plan, bool as_before = false);

}  // namespace lapcast

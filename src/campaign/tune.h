#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "campaign/measuring.h"
#include "campaign/race_campaign.h"
#include "rank/race_result.h"
#include "rank/tuning.h"
#include "store/store.h"

namespace lapcast {

/// Returns the settings to be tried on a machine, which another lapcast has described. May throw
/// Error (usage) where it offers none.
using SettingsOfMachine = std::function<std::vector<TuneSetting>(const MachineDescription&)>;

struct TuneRequest {
  ProbeRequest probe;                 // of the program as it is: the default
  std::vector<TuneSetting> settings;  // to be tried besides the default
  /// Chooses the settings once the default has run, for a machine of which nothing is known before;
  /// empty = they are known. `asked` names what it chooses from.
  SettingsOfMachine settings_of = {};
  std::string asked = {};
  RaceBudget budget;        // of the whole search
  std::size_t repeats = 5;  // runs of the default and of what was found, each in turn
  bool again = false;       // measures everything again
  bool keep = false;        // goes on although the program's files changed
};

struct TuneResult {
  Sweep sweep;
  std::vector<Run> runs;          // all of the search, the warm-up included
  std::vector<TuneRow> rows;      // the default first; settings that keep the results
  std::vector<TuneRow> changing;  // their base first; settings that change results; may be empty
  TuneVerdict verdict;
  /// Gives the share of the default's training time during which the GPU computed.
  std::optional<double> gpu_busy;
  std::string gpu_note;                 // what follows from it for the search; empty = nothing
  std::optional<Seconds> default_time;  // of the whole training with the default, by forecast
  std::int64_t assumed_steps = 0;       // above 0: times are for this many iterations
  Expense spent;                        // on all runs of the search
  bool budget_spent = false;
  bool any_failed = false;
  bool interrupted = false;
};

/// Searches for the environment in which the program trains fastest. Each setting races alone
/// against the default; the surely faster ones are combined, and the combination races against each
/// of them; the fastest is then run in turn with the default. Settings that change results race
/// afterwards, on top of what was found; or first, on top of the default, if the GPU is the limit
/// (kGpuIsTheLimit). All runs are stored; the same request resumes where it stopped. A machine that
/// has to be rented is kept until the end. Throws what run_sweep() throws, and Error
/// (system_failed) when nothing becomes known of a machine whose settings are to be chosen.
TuneResult run_tune(const TuneRequest& request, const MeasuringTools& tools);

}  // namespace lapcast

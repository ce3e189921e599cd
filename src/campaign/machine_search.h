#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "campaign/sweep_plan.h"
#include "core/money.h"
#include "history/assessment.h"
#include "price/offer.h"
#include "rank/preferences.h"
#include "rank/shortlist.h"
#include "rank/transferred_cases.h"
#include "store/store.h"

namespace lapcast {

/// Says when a search for the best machine ends.
struct SearchGoal {
  Preferences preferences;
  double regret = 0.05;         // expected, of the first machine
  std::optional<Money> budget;  // of all probes
};

/// Holds what the runs of a search say.
struct SearchState {
  HomeMeasurement home;             // with the probes so far
  Shortlist list;                   // of the machines; its offers have their names
  std::optional<std::string> next;  // the machine that is worth a probe; none = the search is over
  std::string why;                  // it goes on, or is over, in one clause
  Money spent;                      // for the probes, by their times
};

/// Throws Error (bad input) for a machine of the plan that has no price, which a search by cost
/// needs. `offers` has those that the fleet names.
void refuse_without_prices(const SweepPlan& plan, std::span<const Offer> offers);

/// Makes each candidate train on all GPUs of its machine, where the program is told its workers and
/// the machine has several: its setting `workers` becomes their number.
void train_on_whole_machines(SweepPlan& plan);

/// Searches a fleet for the best machine: forecasts all machines from the laps at home and those of
/// the probes so far, and says which probe is worth most.
class MachineSearch {
 public:
  /// `offers` has those that the fleet names.
  MachineSearch(const SweepPlan& plan, const std::vector<Offer>& offers, HomeMeasurement home,
                SearchGoal goal);

  /// Returns what the probes say, of which the newest of each machine counts. The state points into
  /// this object.
  SearchState judge(std::span<const Run> runs, const Store& store) const;

 private:
  struct Machine {
    Offer offer;                       // its name is that of the machine
    std::optional<CpuMachine> cpu;     // if it has no accelerator
    std::optional<Reason> impossible;  // why it cannot run
    bool is_rented = false;            // a probe waits until it has booted
  };
  void take_run(const Run& run, const RunAssessor& judge_run, SearchState& state,
                ShortlistSize& size, std::map<std::string, Reason>& failed) const;
  /// Returns how long probes take by machine: those of its sort so far on average; before the first
  /// one a rented machine takes kProbeRental, another one as long as the runs at home.
  std::map<std::string, Seconds> probe_times(std::span<const Run> runs) const;
  void decide(SearchState& state) const;

  TrainingPlan training_;
  HomeMeasurement home_;
  SearchGoal goal_;
  Seconds own_probe_;  // how long it takes, before the first one
  std::map<std::string, Machine> machines_;
};

}  // namespace lapcast

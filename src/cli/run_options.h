#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/option_table.h"
#include "discover/discover.h"
#include "machine/machine_type.h"
#include "price/offer.h"
#include "probe/request.h"
#include "query/input_files.h"
#include "query/rank_runs.h"
#include "run/run.h"

namespace lapcast {

// Groups of options that several commands share.

/// Holds the options of the commands that start programs.
struct ProbeOptions {
  TrainingPlan plan;
  std::optional<double> precision;  // nothing = not given
  std::int64_t max_laps = 0;
  std::int64_t probe_epochs = 0;  // 0 = not asked for
  std::optional<Seconds> budget;  // nothing = not given
  std::optional<Seconds> startup;
  Seconds grace = ProbeLimits().grace;
  std::string run_parent;
  bool keep_run_folder = false;
  bool no_hook = false;
  bool no_wait = false;
  LapSource lap_source;

  // Each of these functions adds some of the options. add_plan_to() includes add_samples_to(),
  // add_limits_to() includes add_start_to(), and that one includes all below it.
  void add_plan_to(CLI::App& app);
  void add_limits_to(CLI::App& app);
  void add_probe_epochs_to(CLI::App& app, const char* excluded = "");
  void add_start_to(CLI::App& app);
  void add_lap_source_to(CLI::App& app);
  void add_end_to(CLI::App& app);
  void add_no_wait_to(CLI::App& app);
  /// Throws Error if no folder can be created in --run-parent.
  ProbeLimits limits() const;
  /// Returns the request that starts the program of the context. Throws as limits() does.
  ProbeRequest request(RunContext context) const;
};

/// Adds --samples, --val-samples, --validate-every and --validate-from.
void add_samples_to(CLI::App& app, TrainingPlan& plan);

/// Adds --alone: a run is forecast from its own laps only.
void add_alone_to(CLI::App& app, bool& alone);

/// Returns the description of this machine, which is computed once.
const MachineDescription& this_machine();

/// Returns the part of a context that does not depend on the candidate: program, working folder,
/// version, machine.
RunContext common_context(const std::vector<std::string>& program, const TrainingPlan& plan);

/// Parses the price per hour of --price. Throws Error (usage) if it is not a price or is negative.
Money parse_price(const std::string& text);

/// Returns the offer of a machine type at the price per hour of --price, dated today, with --price
/// as its source. Throws Error (usage) for a price that no offer can have.
Offer offer_of_price(Money price, const std::string& machine);

/// Says what a single run may use of this machine and what that costs.
struct MachineOptions {
  std::optional<std::string> machine;  // nothing = kThisMachine
  std::optional<Money> price;
  std::string offer;
  std::vector<int> cpus;  // empty = not given
  std::optional<double> cpu_quota;

  void add_to(CLI::App& app);
  bool any_given() const {
    return machine || price || !offer.empty() || !cpus.empty() || cpu_quota;
  }
  MachineType machine_type() const;
  /// Returns the price that was given, or the offer of that name in the installed catalogs,
  /// adjusted by read_own_prices(own_prices). Throws Error (usage).
  std::optional<Offer> price_per_hour(const std::string& own_prices) const;
};

/// Adds the machine type and the price to the context of a run on this machine. Throws Error
/// (usage) when the machine is not what the options ask for.
void use_this_machine(RunContext& context, const MachineOptions& options,
                      const std::string& own_prices);

/// Returns the context of the program behind "--" as a new run on this machine. Throws Error: usage
/// for options that make no sense, program_failed when the program is not found.
RunContext context_here(const std::vector<std::string>& program, const TrainingPlan& plan,
                        const MachineOptions& options, const std::string& own_prices);

struct WatchLimitOptions {
  std::optional<Money> max_cost;
  std::optional<Seconds> max_time;
  std::string on_exceed = "stop";
  std::string checkpoint_signal;  // empty = not asked for
  std::optional<Seconds> checkpoint_every;

  void add_to(CLI::App& app);
  /// Throws Error (usage) for a cost limit without a price, or below the smallest bill.
  WatchLimits limits(const std::optional<Offer>& price) const;
  /// Throws Error (usage) for a time without a signal.
  std::optional<CheckpointSignal> checkpoints() const;
};

inline constexpr const char* kSweepHelp =
    "a sweep by its name, its id or the first digits [the newest of this folder]";

/// Adds --sweep, --all and --offers.
void add_selection_to(CLI::App& app, RunSelection& selection);

/// Returns the offers of catalogs, by read_catalogs(), and prints its warnings on stderr.
std::vector<Offer> load_offers(const std::vector<std::string>& files,
                               const std::string& own_prices);

}  // namespace lapcast

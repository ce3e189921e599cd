#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "campaign/fleet_repeats.h"
#include "cli/candidate_options.h"
#include "cli/commands.h"
#include "cli/displays.h"
#include "cli/run_options.h"
#include "suite/driver/repeat_runs.h"
#include "suite/driver/workload.h"
#include "suite/driver/workload_data.h"

namespace lapcast {

/// Holds the options that repeat a program.
struct RepeatOptions {
  std::size_t repeats = 10;
  bool again = false;
  bool keep = false;
  ProbeOptions start;  // has only the options of add_end_to() and add_no_wait_to()

  void add_to(CLI::App& app);
  /// Returns the rule; a mean that is known to a millisecond is known well enough: starting a
  /// process varies by as much, and no repeat makes that smaller.
  RepeatRule rule() const { return {.at_least = repeats, .resolution = 1e-3}; }
  /// Returns a request that refers to these options, which must outlive it.
  RepeatRequest request() const;
};

/// Holds what a workload's program is told, and how it is repeated. What was not given is left to
/// the program.
struct SuiteOptions {
  std::string device;
  std::int64_t threads = 0;
  std::int64_t batch = 0;
  std::int64_t epochs = 0;
  std::int64_t samples = 0;
  std::string setting;
  std::string dtype;
  std::string data;
  std::string own_prices;  // Globals::own_prices
  MachineOptions machine;
  RepeatOptions repeat;

  /// Adds all options but those of machine and repeat.
  void add_program_options_to(CLI::App& app);
};

/// Is the --device that stands for CPUs and GPUs.
inline constexpr const char* kBothDevices = "both";

/// Returns whether there is a GPU that the suite's programs can use.
bool has_nvidia_gpu();
/// Returns whether a workload that always runs on the cores runs on a GPU too: where --device asks
/// for it or, without --device, where this machine has one and is not one of a fleet.
bool wants_gpu(const std::string& device, bool on_fleet);

/// Returns the program's file. Throws Error (program_failed) that says how to build it.
std::filesystem::path workload_program(const std::string& name);

/// Throws Error for options that would fail only after the first runs: a --setting that the
/// workload does not have, those of trainings for a workload that trains nothing, a --data that is
/// not a folder, and a data set that has to be made but has no maker.
void check_options(const Workload& workload, const SuiteOptions& options);

/// Holds what a command of the suite needs to run programs: the store, the processes and the
/// display.
class SuiteSession {
 public:
  /// Refers to the options, which must outlive the session. Throws Error when they make no sense.
  SuiteSession(const Globals& globals, const RepeatOptions& options);

  /// Returns the folder with the workload's data: --data, else its synthetic set in the cache,
  /// which is made when it is not in the cache. Throws Error. Call it after check_options().
  std::filesystem::path data_of(const Workload& workload, const SuiteOptions& options);
  RepeatedRuns& runs() { return runs_; }
  MeasuringTools tools() { return {store_, executor_, interrupt_, display_}; }

 private:
  Store store_;
  Interrupt interrupt_;
  WorkerExecutor executor_;
  CampaignDisplay display_;
  RepeatedRuns runs_;
};

/// Holds names of settings with their values; an empty value leaves the setting to the program.
using SuiteSettings = std::vector<std::pair<std::string, std::string>>;

/// Returns a number as the value of a setting; empty for 0, which leaves it to the program.
std::string number_text(std::int64_t number);

/// Returns the run of a program to its end. The settings that are not empty become options with
/// placeholders, so that they are the settings of the run.
RunContext suite_context(std::vector<std::string> program, const SuiteSettings& settings,
                         const std::vector<std::string>& more, const SuiteOptions& options);

/// Returns the run of a training program to its end, with its data, all that the options give, and
/// `more` arguments. Call it after check_options(). Throws Error (usage) for machine options that
/// make no sense.
RunContext training_context(const Workload& workload, const std::filesystem::path& data,
                            const SuiteOptions& options, const std::vector<std::string>& more);

/// Holds how a workload's program is run to its end on the machines of a fleet.
struct SuiteFleetOptions {
  std::string fleet_file;  // empty = on this machine alone
  FleetRepeatOptions repeat;

  void add_to(CLI::App& app);
};

/// Returns a request to repeat a run of a workload on the machines of the fleet file. The process
/// changes into the folder with the program's copy, because that is the folder that other machines
/// are sent. Throws Error (usage) for options that a fleet file decides.
FleetRepeatRequest fleet_request(const Workload& workload, RunContext context,
                                 const SuiteOptions& options, const SuiteFleetOptions& fleet);

/// Returns the repeated runs of a training on the machines of a fleet; the data are sent where they
/// are not. Call it after check_options(). Throws Error as plan_repeats() and fleet_request() do.
FleetRepeatPlan plan_on_fleet(const Workload& workload, const std::filesystem::path& data,
                              const SuiteOptions& options, const SuiteFleetOptions& fleet,
                              const std::vector<std::string>& more);

}  // namespace lapcast

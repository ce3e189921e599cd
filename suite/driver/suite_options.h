#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
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

struct RepeatOptions {
  std::size_t repeats = 10;
  bool again = false;
  bool keep = false;
  ProbeOptions start;  // only add_end_to() and add_no_wait_to() set its options

  void add_to(CLI::App& app);
  /// Returns the rule. A mean within a millisecond is precise enough: starting a process varies by
  /// as much, and repeating does not reduce that.
  RepeatRule rule() const { return {.at_least = repeats, .resolution = 1e-3}; }
  /// Returns a request that refers to these options, which must outlive it.
  RepeatRequest request() const;
};

/// Holds the options for a workload's program, and for its repeats. Options that were not given are
/// left to the program.
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

  /// Adds all options except those of machine and repeat.
  void add_program_options_to(CLI::App& app);
};

/// Names the --device that means CPUs and GPUs.
inline constexpr const char* kBothDevices = "both";

/// Returns whether there is a GPU that the suite's programs can use.
bool has_nvidia_gpu();
/// Returns whether a workload that always runs on the cores also runs on a GPU: if --device asks
/// for it or, without --device, if this machine has one and no fleet is used.
bool wants_gpu(const std::string& device, bool on_fleet);

/// Returns the program's file. Throws Error (program_failed) with instructions to build it.
std::filesystem::path workload_program(const std::string& name);

/// Returns why a workload cannot run, with instructions to build what is missing: its program, or
/// the maker of a data set that has to be made.
Result<void> is_built(const Workload& workload, const SuiteOptions& options);

/// Says on stderr which of the workloads cannot run, and returns the reason of each. Throws Error
/// (program_failed) if none of them can.
std::map<std::string, std::string> missing_of(const std::vector<const Workload*>& workloads,
                                              const SuiteOptions& options);

/// Throws Error for options that would fail only after the first runs: a --setting that the
/// workload does not have, training options for a workload without training, and a --data that is
/// not a folder.
void check_options(const Workload& workload, const SuiteOptions& options);

/// Holds what a command of the suite needs to run programs: store, processes and display.
class SuiteSession {
 public:
  /// Refers to the options, which must outlive the session. Throws Error if they are invalid.
  SuiteSession(const Globals& globals, const RepeatOptions& options);

  /// Returns the folder with the workload's data: --data, or else its synthetic set in the cache,
  /// which is made if it is missing. Throws Error. Call it after check_options().
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

/// Returns the full run of a program. Settings that are not empty become options with placeholders,
/// so that they are the settings of the run.
RunContext suite_context(std::vector<std::string> program, const SuiteSettings& settings,
                         const std::vector<std::string>& more, const SuiteOptions& options);

/// Returns the full run of a training program, with its data, all given options, and `more`
/// arguments. Call it after check_options(). Throws Error (usage) for invalid machine options.
RunContext training_context(const Workload& workload, const std::filesystem::path& data,
                            const SuiteOptions& options, const std::vector<std::string>& more);

/// Holds the options to run a workload's program on the machines of a fleet.
struct SuiteFleetOptions {
  std::string fleet_file;  // empty = only on this machine
  FleetRepeatOptions repeat;

  void add_to(CLI::App& app);
};

/// Returns a request to repeat a run of a workload on the machines of the fleet file. The process
/// changes into the folder with the program's copy, because that is the folder that is sent to
/// other machines. Throws Error (usage) for options that a fleet file decides.
FleetRepeatRequest fleet_request(const Workload& workload, RunContext context,
                                 const SuiteOptions& options, const SuiteFleetOptions& fleet);

/// Returns the repeated runs of a training on a fleet; the data are sent to machines that lack
/// them. Call it after check_options(). Throws Error as plan_repeats() and fleet_request() do.
FleetRepeatPlan plan_on_fleet(const Workload& workload, const std::filesystem::path& data,
                              const SuiteOptions& options, const SuiteFleetOptions& fleet,
                              const std::vector<std::string>& more);

}  // namespace lapcast

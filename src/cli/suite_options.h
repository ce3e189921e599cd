#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cli/globals.h"
#include "cli/machine_options.h"
#include "cli/repeat_options.h"
#include "fleet/workload_data.h"
#include "suite/workload.h"

namespace lapcast {

/// What a workload's program is told, and how it is repeated. What was not given is left to the
/// program.
struct SuiteOptions {
  std::string device;
  std::int64_t threads = 0;
  std::int64_t batch = 0;
  std::int64_t epochs = 0;
  std::int64_t samples = 0;
  std::string setting;
  std::string dtype;
  std::string data;
  MachineOptions machine;
  RepeatOptions repeat;

  void add_program_options_to(CLI::App& app);  // all of the above but machine and repeat
};

/// Described once: a command of the suite starts many runs.
const MachineDescription& this_machine();
/// Whether there is a GPU that the suite's programs can use.
bool has_nvidia_gpu();

/// The program's file. Throws Error (program_failed) that says how to build it.
std::filesystem::path workload_program(const std::string& name);

/// Refuses, with Error, what would fail later, before anything is run: a --setting that the
/// workload has not, a folder of --data that is none, a set that is not there and no maker to make
/// it.
void check_options(const Workload& workload, const SuiteOptions& options);

/// The folder with the workload's data: --data, else its synthetic set in the cache, made now where
/// it is not there yet. Throws Error. After check_options().
std::filesystem::path workload_data(const Workload& workload, const SuiteOptions& options,
                                    const Interrupt& interrupt, const DataProgress& news);

/// A run of a program to its end: options become placeholders with their values, so that they are
/// the settings of the run; `more` is appended as it is.
class ProgramCall {
 public:
  explicit ProgramCall(const std::filesystem::path& program);
  ProgramCall& fixed(const std::string& option, const std::string& value);
  ProgramCall& flag(const std::string& option);
  /// Nothing where the value is empty or 0.
  ProgramCall& setting(const std::string& name, const std::string& value);
  ProgramCall& setting(const std::string& name, std::int64_t value);
  ProgramCall& more(const std::vector<std::string>& arguments);
  /// Throws Error (usage) for machine options that make no sense.
  RunContext context(const MachineOptions& machine) const;

 private:
  std::vector<std::string> program_;
  std::map<std::string, std::string> settings_;
};

/// A call of a training program with its data and all that the options give. After
/// check_options().
ProgramCall training_call(const Workload& workload, const std::filesystem::path& data,
                          const SuiteOptions& options);

/// "batch=128 device=cuda", without the seed, which tells runs of one set apart.
std::string settings_of_set(const RunContext& context);

/// "lapcast: interrupted; the same command goes on where it was" on stderr, and its exit code.
ExitCode tell_interrupted(bool again);

}  // namespace lapcast

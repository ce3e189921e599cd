#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/commands.h"
#include "cli/console.h"
#include "core/units.h"
#include "run/secrets.h"
#include "suite/driver/suite_options.h"
#include "suite/driver/suite_report.h"
#include "suite/stopwatch/stage_files.h"
#include "suite/stopwatch/stopwatch.h"

namespace lapcast {
namespace {

constexpr const char* kStopwatchFooter = R"(
Examples:
  lapcast stopwatch                             the five networks; GPU too if there is one
  lapcast stopwatch --networks mnist-mlp,mnist-rnn --devices cpu --repeats 1
  lapcast stopwatch --repeats 3 --csv stopwatch.csv
  lapcast stopwatch --from stopwatch.csv tpu=tpu.csv --reference cpu

The execution-time review of five MNIST networks (lapcast help suite.md): how long each spends to load data,
to pre-process it, to compile, to train and to evaluate, and by how many percent a GPU is faster.
Repeated as `lapcast suite run` does, until the time of the stage train is known; after Ctrl-C the
same command goes on. --csv writes the review's own lines, which `lapcast import stopwatch` reads.

--from measures nothing: it makes the same tables of such files, also of other machines. The tag of
their lines says network and device ("mlp tpu"), or the file's name does: tpu=FILE. The GPU is gpu
in results, whether it is called gpu or cuda.)";

struct StopwatchArguments {
  std::vector<std::string> networks;
  std::vector<std::string> devices;
  std::string csv;
  std::vector<std::string> from;
  std::string reference = "cpu";
  SuiteOptions suite;
};

std::vector<const Workload*> networks(const StopwatchArguments& options) {
  std::vector<const Workload*> result;
  for (const Workload& workload : suite())
    if (options.networks.empty() && workload.stopwatch) result.push_back(&workload);
  for (const std::string& name : options.networks) {
    const Workload& workload = workload_named(name);
    if (!workload.trains())
      throw Error(ExitCode::usage, "--networks: " + name + " has no stages to time");
    result.push_back(&workload);
  }
  for (const Workload* workload : result) check_options(*workload, options.suite);
  return result;
}

std::vector<std::string> devices(const StopwatchArguments& options) {
  if (options.devices.empty() && has_nvidia_gpu()) return {"cpu", "cuda"};
  if (options.devices.empty()) return {"cpu"};
  std::vector<std::string> result;
  for (const std::string& device : options.devices) {
    result.push_back(device == "gpu" ? "cuda" : device);
    if (result.back() != "cpu" && result.back() != "cuda")
      throw Error(ExitCode::usage,
                  fmt::format("--devices: '{}' is not cpu or cuda", printable(device, 60)));
  }
  return result;
}

/// Returns the user named by the environment: a static binary cannot use the system's directory of
/// users.
std::string user_name() {
  for (const char* name : {"LOGNAME", "USER"})
    if (const char* user = std::getenv(name)) return user;
  return "";
}

/// Writes the file of --csv. Without text it only checks that the file can be written.
void write_csv(const std::string& name, const std::optional<std::string>& text) {
  std::ofstream file(name, std::ios::binary | (text ? std::ios::trunc : std::ios::app));
  if (!file)
    throw Error(ExitCode::system_failed,
                fmt::format("--csv: cannot write {}: {}", printable(name), std::strerror(errno)));
  file << text.value_or("") << std::flush;
  if (!file) throw Error(ExitCode::system_failed, "--csv: cannot be written (disk full?)");
}

/// Returns the seconds of the stage train.
Result<double> training_time(const Run& run) {
  if (!std::holds_alternative<outcome::Ended>(run.outcome)) return because(shown_outcome(run));
  if (const auto time = time_of(*laps_of(run), StopwatchStage::train)) return time->time.count();
  return because("it did not report the stage train");
}

/// Prints the tables of stored files.
ExitCode stopwatch_of_files(const Globals& globals, const StopwatchArguments& options) {
  const StageFiles files = read_stage_files(options.from);
  warn(files.lines);
  const std::string reference = stopwatch_device(options.reference);
  const std::vector<std::string> known = devices_of(files.entries);
  if (std::ranges::find(known, reference) == known.end())
    throw Error(ExitCode::usage, fmt::format("--reference: no file has stages of {}; there are {}",
                                             printable(reference, 60),
                                             printable(fmt::to_string(fmt::join(known, ", ")))));
  print(globals, stopwatch_tables(files.entries, reference));
  return ExitCode::ok;
}

ExitCode stopwatch(const Globals& globals, const StopwatchArguments& options) {
  if (!options.from.empty()) return stopwatch_of_files(globals, options);
  const std::vector<const Workload*> workloads = networks(options);
  const std::vector<std::string> on = devices(options);
  static_cast<void>(options.suite.repeat.start.limits());
  if (!options.csv.empty()) write_csv(options.csv, std::nullopt);  // fails before it measures
  const auto missing = missing_of(workloads, options.suite);
  SuiteSession session(globals, options.suite.repeat);
  std::vector<StopwatchEntry> entries;
  bool interrupted = false;
  for (const Workload* workload : workloads)
    for (const std::string& device : on) {
      if (interrupted) break;
      SuiteOptions suite = options.suite;
      suite.device = device;
      if (const auto found = missing.find(workload->name); found != missing.end()) {
        entries.push_back({workload->name, stopwatch_device(device), {}, found->second});
        continue;
      }
      const RunContext context =
          training_context(*workload, session.data_of(*workload, suite), suite, {"--evaluate"});
      RunSet set = session.runs().complete(context, workload->name + " " + device, training_time);
      interrupted = set.interrupted;
      entries.push_back(
          {workload->name, stopwatch_device(device), std::move(set.runs), set.reason});
    }
  if (!options.csv.empty()) write_csv(options.csv, stopwatch_csv(entries, user_name()));
  print(globals, stopwatch_tables(entries, stopwatch_device(options.reference)));
  if (interrupted) return tell_interrupted(options.suite.repeat.again);
  const bool failed = std::ranges::any_of(
      entries, [](const StopwatchEntry& entry) { return !entry.reason.empty(); });
  return failed ? ExitCode::some_failed : ExitCode::ok;
}

}  // namespace

static void add_stopwatch(CLI::App& app, CommandLine& line) {
  const auto [command, options] = line.add(
      app, "stopwatch", "time the stages of five MNIST networks on CPU and GPU, as the 2021 review",
      kStopwatchFooter, stopwatch);
  SuiteOptions& suite = options.suite;
  add_options(command,
              {{"--networks NAME,NAME",
                &options.networks,
                "workloads [the review's five]",
                {.comma_separated = true}},
               {"--devices cpu,cuda",
                &options.devices,
                "cpu, cuda [cpu, and cuda where there is one]",
                {.comma_separated = true}},
               {"--csv FILE", &options.csv, "write the review's lines of every run"},
               {"--from FILE.csv", &options.from, "measure nothing: tables of such files"},
               {"--reference DEVICE", &options.reference, "cpu, gpu ...: what speed-ups are over"},
               {"--threads N", &suite.threads, "threads of each program [all CPUs]", up_to(4096)},
               {"--epochs N", &suite.epochs, "epochs [each network's own]", up_to(1'000'000'000)},
               {"--samples N", &suite.samples, "training samples [60000]", up_to(100'000'000)},
               {"--data DIR", &suite.data, "folder with MNIST's files [a synthetic set]"}});
  suite.repeat.add_to(command);
}

extern const NamedCommand kStopwatchCommand{"stopwatch", add_stopwatch};

}  // namespace lapcast

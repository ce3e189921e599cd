#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/commands.h"
#include "cli/suite_options.h"
#include "cli/view/campaign_display.h"
#include "core/units.h"
#include "report/stopwatch_report.h"
#include "run/secrets.h"

namespace lapcast {
namespace {

constexpr const char* kStopwatchFooter = R"(
Examples:
  lapcast stopwatch                             the five networks; GPU too if there is one
  lapcast stopwatch --networks mnist-mlp,mnist-rnn --devices cpu --repeats 1
  lapcast stopwatch --repeats 3 --csv stopwatch.csv

The execution-time review of five MNIST networks (docs/suite.md): how long each spends to load data,
to pre-process it, to compile, to train and to evaluate, and by how many percent a GPU is faster.
Repeated as `lapcast suite run` does, until the time of the stage train is known; after Ctrl-C the
same command goes on. --csv writes the review's own lines, which `lapcast import stopwatch` reads.)";

struct StopwatchArguments {
  std::vector<std::string> networks;
  std::vector<std::string> devices;
  std::string csv;
  SuiteOptions suite;
};

std::vector<const Workload*> networks(const StopwatchArguments& options) {
  std::vector<const Workload*> result;
  for (const Workload& workload : suite())
    if (options.networks.empty() && workload.stopwatch) result.push_back(&workload);
  for (const std::string& name : options.networks) {
    const Workload& workload = workload_named(name);
    if (workload.counts_queens())
      throw Error(ExitCode::usage, "--networks: " + name + " has no stages to time");
    result.push_back(&workload);
  }
  for (const Workload* workload : result) {
    workload_program(workload->name);
    check_options(*workload, options.suite);
  }
  return result;
}

std::vector<std::string> devices(const StopwatchArguments& options) {
  if (options.devices.empty())
    return has_nvidia_gpu() ? std::vector<std::string>{"cpu", "cuda"}
                            : std::vector<std::string>{"cpu"};
  for (const std::string& device : options.devices)
    if (device != "cpu" && device != "cuda")
      throw Error(ExitCode::usage,
                  fmt::format("--devices: '{}' is not cpu or cuda", printable(device, 60)));
  return options.devices;
}

std::ofstream open_csv(const std::string& name, std::ios::openmode mode) {
  std::ofstream file(name, std::ios::binary | mode);
  if (!file)
    throw Error(ExitCode::system_failed,
                fmt::format("--csv: cannot write {}: {}", printable(name), std::strerror(errno)));
  return file;
}

/// Returns the user that the environment names: a static binary cannot ask the system's directory
/// of users.
std::string user_name() {
  for (const char* name : {"LOGNAME", "USER"})
    if (const char* user = std::getenv(name)) return user;
  return "";
}

void write_csv(const std::string& name, const std::vector<StopwatchEntry>& entries) {
  std::ofstream file = open_csv(name, std::ios::trunc);
  file << stopwatch_csv(entries, user_name()) << std::flush;
  if (!file) throw Error(ExitCode::system_failed, "--csv: cannot be written (disk full?)");
}

/// Returns the seconds of the stage train.
Result<double> training_time(const Run& run) {
  if (!std::holds_alternative<outcome::Ended>(run.outcome)) return because(shown_outcome(run));
  if (const auto time = time_of(laps_of(run), StopwatchStage::train)) return time->time.count();
  return because("it did not report the stage train");
}

ExitCode stopwatch(const Globals& globals, const StopwatchArguments& options) {
  const std::vector<const Workload*> workloads = networks(options);
  const std::vector<std::string> on = devices(options);
  static_cast<void>(options.suite.repeat.start.limits());
  // Refused before the first second is measured; closed again, so that no program inherits it.
  if (!options.csv.empty()) open_csv(options.csv, std::ios::app);
  Store store = globals.open_store();
  Interrupt interrupt;
  WorkerExecutor executor(interrupt);
  CampaignDisplay display(globals.quiet);
  RepeatedRuns runs(options.suite.repeat.request(), store, executor, interrupt, display);
  std::vector<StopwatchEntry> entries;
  bool interrupted = false;
  for (const Workload* workload : workloads)
    for (const std::string& device : on) {
      if (interrupted) break;
      SuiteOptions suite = options.suite;
      suite.device = device;
      const auto data = workload_data(*workload, suite, interrupt,
                                      [&](const std::string& text) { runs.listener().say(text); });
      const RunContext context =
          training_call(*workload, data, suite).flag("--evaluate").context(suite.machine);
      RunSet set = runs.complete(context, workload->name + " " + device, training_time);
      interrupted = set.interrupted;
      entries.push_back({workload->name, device, std::move(set.runs), set.reason});
    }
  if (!options.csv.empty()) write_csv(options.csv, entries);
  print(globals, stopwatch_tables(entries));
  if (interrupted) return tell_interrupted(options.suite.repeat.again);
  const bool failed = std::any_of(entries.begin(), entries.end(),
                                  [](const StopwatchEntry& e) { return !e.reason.empty(); });
  return failed ? ExitCode::some_failed : ExitCode::ok;
}

}  // namespace

void add_stopwatch(CLI::App& app, Globals& globals, Action& action) {
  auto options = std::make_shared<StopwatchArguments>();
  CLI::App* command = app.add_subcommand(
      "stopwatch", "time the stages of five MNIST networks on CPU and GPU, as the 2021 review");
  command->add_option("--networks", options->networks, "workloads [the review's five]")
      ->delimiter(',')
      ->type_name("NAME,NAME");
  command->add_option("--devices", options->devices, "cpu, cuda [cpu, and cuda where there is one]")
      ->delimiter(',')
      ->type_name("cpu,cuda");
  command->add_option("--csv", options->csv, "write the review's lines of every run")
      ->type_name("FILE");
  const auto number = [&](const char* name, std::int64_t& value, std::int64_t most,
                          const char* help) {
    command->add_option(name, value, help)
        ->check(CLI::Range(std::int64_t{1}, most))
        ->type_name("N");
  };
  number("--threads", options->suite.threads, 4096, "threads of each program [all CPUs]");
  number("--epochs", options->suite.epochs, 1'000'000'000, "epochs [each network's own]");
  number("--samples", options->suite.samples, 100'000'000, "training samples [60000]");
  command->add_option("--data", options->suite.data, "folder with MNIST's files [a synthetic set]")
      ->type_name("DIR");
  options->suite.repeat.add_to(*command);
  command->footer(kStopwatchFooter);
  command->callback([&globals, &action, options] {
    action = {[&globals, options] { return stopwatch(globals, *options); }, false};
  });
}

}  // namespace lapcast

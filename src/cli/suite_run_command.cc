#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "choose/run_metric.h"
#include "cli/suite_commands.h"
#include "cli/suite_options.h"
#include "cli/suite_queens.h"
#include "cli/view/campaign_display.h"
#include "core/units.h"
#include "report/queens_report.h"
#include "report/suite_report.h"

namespace lapcast {
namespace {

constexpr const char* kSuiteRunFooter = R"(
Examples:
  lapcast suite run mnist-mlp
  lapcast suite run mnist-mlp mnist-cnn --epochs 2 --repeats 3 --threads 1
  lapcast suite run mnist-cnn --setting malta --batch 1024 --data ~/mnist
  lapcast suite run embryo-cnn --device cuda --repeats 30 --price 3.06
  lapcast suite run nn-twins -- --patience 5    what stands behind -- goes to the programs
  lapcast suite run nqueens --n 10..16          one thread, all cores, and the GPU if there is one

Each workload runs to its end, at least --repeats times and until half the width of the 95 %
interval of its mean time is below 5 % of it, three times --repeats at most. Every run is stored;
after Ctrl-C the same command goes on. Run i trains from seed i. Without --data a synthetic set in
the real format is made once and kept in the cache folder.)";

struct SuiteRunArguments {
  std::vector<std::string> names;
  SuiteOptions suite;
  QueensOptions queens;
};

/// Everything that can be refused is refused before anything is run.
std::vector<const Workload*> chosen(const SuiteRunArguments& options) {
  std::vector<const Workload*> workloads;
  for (const std::string& name : options.names) {
    const Workload& workload = workload_named(name);
    workload_program(workload.name);
    check_options(workload, options.suite);
    if (std::find(workloads.begin(), workloads.end(), &workload) == workloads.end())
      workloads.push_back(&workload);
  }
  const bool queens = std::any_of(workloads.begin(), workloads.end(),
                                  [](const Workload* w) { return w->counts_queens(); });
  if (!options.queens.boards.empty() && !queens)
    throw Error(ExitCode::usage, "--n is for the workload nqueens");
  if (!options.queens.boards.empty()) parse_board_sizes(options.queens.boards);
  static_cast<void>(options.suite.repeat.start.limits());
  static_cast<void>(options.suite.machine.machine_type());
  return workloads;
}

/// The folder with its data; the reason when its maker fails, which does not stop other workloads.
Result<std::filesystem::path> data_of(const Workload& workload, const SuiteRunArguments& options,
                                      RepeatedRuns& runs, const Interrupt& interrupt) {
  try {
    return workload_data(workload, options.suite, interrupt,
                         [&](const std::string& text) { runs.listener().say(text); });
  } catch (const Error& error) {
    if (error.code() != ExitCode::program_failed) throw;
    runs.listener().say(workload.name + ": " + error.what());
    return because(error.what());
  }
}

SuiteResult run_training(const Workload& workload, const SuiteRunArguments& options,
                         const std::vector<std::string>& more, RepeatedRuns& runs,
                         const Interrupt& interrupt, bool& interrupted) {
  const RunMetric time = parse_run_metric("time");
  const auto data = data_of(workload, options, runs, interrupt);
  if (!data) return {workload.name, "", "", {}, options.suite.repeat.rule(), data.error().text};
  const RunContext context =
      training_call(workload, *data, options.suite).more(more).context(options.suite.machine);
  RunSet set =
      runs.complete(context, workload.name, [&](const Run& run) { return value_of(run, time); });
  interrupted = set.interrupted;
  return {workload.name,       settings_of_set(context),    set.id,
          std::move(set.runs), options.suite.repeat.rule(), set.reason};
}

struct Outcomes {
  std::vector<SuiteResult> trainings;
  std::vector<QueensRuns> boards;
  bool interrupted = false;

  bool any_failed() const {
    return std::any_of(trainings.begin(), trainings.end(),
                       [](const SuiteResult& r) { return !r.reason.empty(); }) ||
           std::any_of(boards.begin(), boards.end(), [](const QueensRuns& r) {
             return !r.reason.empty() || (!r.seconds.empty() && !r.correct());
           });
  }
};

void print(const Globals& globals, const Outcomes& outcomes) {
  std::vector<Table> tables;
  if (!outcomes.trainings.empty()) tables.push_back(suite_result_table(outcomes.trainings));
  if (!outcomes.boards.empty())
    for (Table& table : queens_tables(outcomes.boards)) tables.push_back(std::move(table));
  print(globals, tables);
}

ExitCode run_suite(const Globals& globals, const SuiteRunArguments& options) {
  const std::vector<const Workload*> workloads = chosen(options);
  Store store = globals.open_store();
  Interrupt interrupt;
  WorkerExecutor executor(interrupt);
  CampaignDisplay display(globals.quiet);
  RepeatedRuns runs(options.suite.repeat.request(), store, executor, interrupt, display);
  Outcomes outcomes;
  for (const Workload* workload : workloads) {
    if (outcomes.interrupted) break;
    if (workload->counts_queens())
      outcomes.boards = run_queens(*workload, options.suite, options.queens, globals.program, runs,
                                   outcomes.interrupted);
    else
      outcomes.trainings.push_back(
          run_training(*workload, options, globals.program, runs, interrupt, outcomes.interrupted));
  }
  print(globals, outcomes);
  if (outcomes.interrupted) return tell_interrupted(options.suite.repeat.again);
  return outcomes.any_failed() ? ExitCode::some_failed : ExitCode::ok;
}

}  // namespace

void add_suite_run(CLI::App& suite, Globals& globals, Action& action) {
  auto options = std::make_shared<SuiteRunArguments>();
  CLI::App* command =
      suite.add_subcommand("run", "run workloads to their end, repeatedly: means with intervals");
  command->add_option("NAME", options->names, "workloads; `lapcast suite` lists them")->required();
  options->suite.add_program_options_to(*command);
  options->queens.add_to(*command);
  options->suite.repeat.add_to(*command);
  options->suite.machine.add_to(*command);
  command->footer(kSuiteRunFooter);
  command->callback([&globals, &action, options] {
    action = {[&globals, options] { return run_suite(globals, *options); }, true};
  });
}

}  // namespace lapcast

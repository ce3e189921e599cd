#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/console.h"
#include "query/run_set.h"
#include "rank/comparison.h"
#include "run/settings.h"
#include "suite/driver/picture_report.h"
#include "suite/driver/queens_report.h"
#include "suite/driver/suite_commands.h"
#include "suite/driver/suite_options.h"
#include "suite/driver/suite_pictures.h"
#include "suite/driver/suite_queens.h"
#include "suite/driver/suite_report.h"

namespace lapcast {
namespace {

constexpr const char* kSuiteRunFooter = R"(
Examples:
  lapcast suite run mnist-mlp
  lapcast suite run mnist-mlp mnist-cnn --epochs 2 --repeats 3 --threads 1
  lapcast suite run mnist-cnn --setting malta --batch 1024 --data ~/mnist
  lapcast suite run embryo-cnn --device cuda --repeats 30 --price 3.06
  lapcast suite run nn-twins -- --patience 5    # what stands behind -- goes to the programs
  lapcast suite run nqueens --max-n 16          # one thread, all cores, and the GPU if there is one
  lapcast suite run nqueens --max-n 14 --fleet fleet.toml --baseline-serial colab --server big
  lapcast suite run mask-rcnn --device both     # all cores, and the GPU: 3 sizes of pictures
  lapcast suite run mnist-cnn --fleet fleet.toml --baseline cpu

Each workload runs to its end, at least --repeats times and until half the width of the 95 %
interval of its mean time is below 5 % of it, three times --repeats at most. Every run is stored;
after Ctrl-C the same command goes on. Run i trains from seed i. Without --data a synthetic set in
the real format is made once and kept in the cache folder. Workloads that are not built are named,
and the others run; `lapcast suite build NAME` builds one.

With --fleet one workload runs on the machine types of a fleet file, as `lapcast repeat` runs any
program: a row per machine and tests of every pair. Program and data are sent; LibTorch is not.)";

struct SuiteRunArguments {
  std::vector<std::string> names;
  SuiteOptions suite;
  QueensOptions queens;
  PictureOptions pictures;
  SuiteFleetOptions fleet;
};

/// Refuses the options of nqueens and mask-rcnn if these are not run, and invalid values.
void check_own_options(const SuiteRunArguments& options,
                       const std::vector<const Workload*>& workloads) {
  const bool queens = std::ranges::any_of(workloads, &Workload::counts_queens);
  const bool pictures = std::ranges::any_of(workloads, &Workload::searches_pictures);
  const QueensOptions& own = options.queens;
  if (!queens && (!own.boards.empty() || own.max_n > 0 || !own.baselines.serial.empty()))
    throw Error(ExitCode::usage, "--n, --max-n and --baseline-serial are for the workload nqueens");
  if (queens) own.board_sizes(workload_named("nqueens"));
  if (!pictures && (!options.pictures.sizes.empty() || options.pictures.images > 0))
    throw Error(ExitCode::usage, "--sizes and --images are for the workload mask-rcnn");
  if (pictures) options.pictures.image_sizes(workload_named("mask-rcnn"));
}

/// Refuses options that need --fleet without it, and those that it excludes.
void check_fleet_options(const SuiteRunArguments& options,
                         const std::vector<const Workload*>& workloads) {
  if (!options.fleet.fleet_file.empty()) {
    if (workloads.size() > 1) throw Error(ExitCode::usage, "--fleet is for one workload at a time");
    return;
  }
  if (options.suite.device == kBothDevices && std::ranges::any_of(workloads, &Workload::trains))
    throw Error(ExitCode::usage,
                "--device both is for --fleet, and for the workloads nqueens and mask-rcnn");
  if (options.fleet.repeat.has_rest())
    throw Error(ExitCode::usage, "--warm-up, --baseline and --server are for --fleet");
  if (!options.queens.baselines.serial.empty())
    throw Error(ExitCode::usage, "--baseline-serial names a machine of --fleet");
}

/// Returns the chosen workloads, built or not. Refuses every option that can be refused before
/// anything runs.
std::vector<const Workload*> chosen(const SuiteRunArguments& options) {
  std::vector<const Workload*> workloads;
  for (const std::string& name : options.names) {
    const Workload& workload = workload_named(name);
    check_options(workload, options.suite);
    if (std::ranges::find(workloads, &workload) == workloads.end()) workloads.push_back(&workload);
  }
  check_own_options(options, workloads);
  check_fleet_options(options, workloads);
  static_cast<void>(options.suite.repeat.start.limits());
  return workloads;
}

/// Runs a training repeatedly. If the maker of its data fails, the result says why, and other
/// workloads continue.
SuiteResult run_training(const Workload& workload, const SuiteRunArguments& options,
                         const std::vector<std::string>& more, SuiteSession& session,
                         bool& interrupted) {
  SuiteResult result{workload.name, "", "", {}, options.suite.repeat.rule(), ""};
  std::filesystem::path data;
  try {
    data = session.data_of(workload, options.suite);
  } catch (const Error& error) {
    if (error.code() != ExitCode::program_failed) throw;
    result.reason = error.what();
    session.runs().listener().say(workload.name + ": " + result.reason);
    return result;
  }
  const RunContext context = training_context(workload, data, options.suite, more);
  const RunMetric time = parse_run_metric("time");
  RunSet set = session.runs().complete(context, workload.name,
                                       [&](const Run& run) { return value_of(run, time); });
  interrupted = set.interrupted;
  result.settings = settings_of_set(context);
  result.set = set.id;
  result.runs = std::move(set.runs);
  result.reason = set.reason;
  return result;
}

bool any_failed(const std::vector<PictureRuns>& pictures) {
  return std::ranges::any_of(pictures, [](const PictureRuns& one) { return !one.reason.empty(); });
}

bool any_wrong(const std::vector<QueensRuns>& boards) {
  return std::ranges::any_of(boards, [](const QueensRuns& runs) {
    return !runs.reason.empty() || (!runs.seconds.empty() && !runs.correct());
  });
}

struct Outcomes {
  std::vector<SuiteResult> trainings;
  std::vector<QueensRuns> boards;
  std::vector<PictureRuns> pictures;
  bool interrupted = false;

  void add(PictureOutcome outcome) {
    pictures = std::move(outcome.pictures);
    interrupted = outcome.interrupted;
  }
  bool failed() const {
    const auto has_reason = [](const SuiteResult& result) { return !result.reason.empty(); };
    return std::ranges::any_of(trainings, has_reason) || any_wrong(boards) || any_failed(pictures);
  }
};

void print(const Globals& globals, const Outcomes& outcomes) {
  std::vector<Table> tables;
  if (!outcomes.trainings.empty()) tables.push_back(suite_result_table(outcomes.trainings));
  if (!outcomes.boards.empty())
    for (Table& table : queens_tables(outcomes.boards)) tables.push_back(std::move(table));
  if (!outcomes.pictures.empty()) tables.push_back(picture_table(outcomes.pictures));
  print(globals, tables);
}

ExitCode run_pictures_of_fleet(const Globals& globals, const SuiteRunArguments& options,
                               const Workload& workload, SuiteSession& session) {
  const SuiteProgram program{workload, options.suite, globals.program};
  const PictureOutcome outcome =
      run_pictures_on_fleet(program, options.pictures, options.fleet, session.tools());
  print(globals, {picture_table(outcome.pictures, options.fleet.repeat.server)});
  if (outcome.interrupted) return tell_interrupted(options.suite.repeat.again);
  return any_failed(outcome.pictures) ? ExitCode::some_failed : ExitCode::ok;
}

ExitCode run_on_fleet(const Globals& globals, const SuiteRunArguments& options,
                      const Workload& workload) {
  SuiteSession session(globals, options.suite.repeat);
  if (workload.searches_pictures())
    return run_pictures_of_fleet(globals, options, workload, session);
  if (!workload.counts_queens())
    return print_repeats(globals, plan_on_fleet(workload, session.data_of(workload, options.suite),
                                                options.suite, options.fleet, globals.program));
  const FleetQueens queens =
      run_queens_on_fleet(workload, options.suite, options.queens, options.fleet, globals.program,
                          session.runs(), session.tools());
  QueensBaselines baselines = options.queens.baselines;
  baselines.server = options.fleet.repeat.server;
  print(globals, queens_tables(queens.boards, baselines));
  if (queens.interrupted) return tell_interrupted(options.suite.repeat.again);
  return any_wrong(queens.boards) ? ExitCode::some_failed : ExitCode::ok;
}

ExitCode run_suite(const Globals& globals, const SuiteRunArguments& given) {
  SuiteRunArguments options = given;
  options.suite.own_prices = globals.own_prices;
  const std::vector<const Workload*> workloads = chosen(options);
  const auto missing = missing_of(workloads, options.suite);
  if (!options.fleet.fleet_file.empty()) return run_on_fleet(globals, options, *workloads.front());
  SuiteSession session(globals, options.suite.repeat);
  Outcomes outcomes;
  for (const Workload* workload : workloads) {
    if (outcomes.interrupted) break;
    if (const auto found = missing.find(workload->name); found != missing.end())
      outcomes.trainings.push_back({.workload = workload->name, .reason = found->second});
    else if (workload->counts_queens())
      outcomes.boards = run_queens(*workload, options.suite, options.queens, globals.program,
                                   session.runs(), outcomes.interrupted);
    else if (workload->searches_pictures())
      outcomes.add(run_pictures({*workload, options.suite, globals.program}, options.pictures,
                                session.runs()));
    else
      outcomes.trainings.push_back(
          run_training(*workload, options, globals.program, session, outcomes.interrupted));
  }
  print(globals, outcomes);
  if (outcomes.interrupted) return tell_interrupted(options.suite.repeat.again);
  return outcomes.failed() ? ExitCode::some_failed : ExitCode::ok;
}

}  // namespace

void add_suite_run(CLI::App& suite, CommandLine& line) {
  const auto [command, options] =
      line.add(suite, "run", "run workloads to their end, repeatedly: means with intervals",
               kSuiteRunFooter, run_suite, Takes::program);
  add_options(command,
              {{"NAME", &options.names, "workloads; `lapcast suite` lists them", kRequired}});
  options.suite.add_program_options_to(command);
  options.queens.add_to(command);
  options.pictures.add_to(command);
  options.fleet.add_to(command);
  options.suite.repeat.add_to(command);
  options.suite.machine.add_to(command);
}

}  // namespace lapcast

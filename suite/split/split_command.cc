#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>

#include "cli/commands.h"
#include "cli/console.h"
#include "suite/driver/suite_commands.h"
#include "suite/driver/suite_options.h"
#include "suite/split/split_report.h"

namespace lapcast {
namespace {

constexpr const char* kSuiteSplitFooter = R"(
Examples:
  lapcast suite split nqueens fleet.toml --n 19
  lapcast suite split nqueens fleet.toml --n 20 --pieces 500 --device cuda
  lapcast suite split nqueens fleet.toml --n 17 --algorithm paper -- --laps 20

Counts one board on all machines of a fleet file: each takes the next piece when it is free. A piece
is a range of the placements of the first queens. A piece whose run is killed or fails is counted
again, if possible on another machine; none is in the sum twice. The sum is compared with the known
number. After Ctrl-C or a kill the same command goes on, also with other machines in the file.)";

struct SuiteSplitArguments {
  std::string name;
  std::string fleet_file;
  std::int64_t n = 0;
  std::string algorithm = "fast";
  SuiteOptions suite;
  SplitRequest split;
};

/// Returns the workload. Throws Error if it is not one of boards, or is not built.
const Workload& board_workload(const SuiteSplitArguments& options) {
  const Workload& workload = workload_named(options.name);
  if (!workload.counts_queens())
    throw Error(ExitCode::usage, workload.name + " cannot be counted in pieces; nqueens can");
  workload_program(workload.name);
  return workload;
}

/// Changes into the folder that is sent, as fleet_request() does.
SplitPlan plan_of(const Globals& globals, const Workload& workload,
                  const SuiteSplitArguments& options) {
  SuiteOptions suite = options.suite;
  suite.own_prices = globals.own_prices;
  const std::string n = std::to_string(options.n);
  const RunContext context = suite_context({workload_program(workload.name).string()},
                                           {{"n", n},
                                            {"algorithm", options.algorithm},
                                            {"device", suite.device},
                                            {"threads", number_text(suite.threads)},
                                            {kPieceSetting, "1/1"}},
                                           globals.program, suite);
  SplitRequest split = options.split;
  split.sweep = fleet_request(workload, context, suite, {.fleet_file = options.fleet_file}).sweep;
  split.subject = fmt::format("{} {} in {} pieces", workload.name, n, split.pieces);
  return plan_split(std::move(split));
}

ExitCode split_work(const Globals& globals, const SuiteSplitArguments& options) {
  const Workload& workload = board_workload(options);
  SuiteSession session(globals, options.suite.repeat);  // opens a store of this folder
  const SplitPlan plan = plan_of(globals, workload, options);
  for (const std::string& warning : plan.sweep.warnings) say("warning: {}", warning);
  const SplitResult result = run_split(plan, session.tools());
  const int n = static_cast<int>(options.n);
  print(globals, split_tables(n, result));
  const SplitCount& count = result.count;
  if (!count.why_not.empty()) throw Error(ExitCode::program_failed, count.why_not);
  if (result.interrupted) return tell_interrupted(options.suite.repeat.again);
  if (count.done() < count.pieces.size()) return ExitCode::some_failed;
  if (known_solutions(n) == count.solutions()) return ExitCode::ok;
  throw Error(ExitCode::program_failed,
              fmt::format("the pieces have {} solutions together, and the {} x {} board has {}: "
                          "count again with --again",
                          count.solutions(), n, n, known_solutions(n).value_or(0)));
}

}  // namespace

void add_suite_split(CLI::App& suite, CommandLine& line) {
  const auto [command, options] =
      line.add(suite, "split", "count a board of N-Queens in pieces, on all machines of a fleet",
               kSuiteSplitFooter, split_work, Takes::program);
  add_options(
      command,
      {{"NAME", &options.name, "the workload: nqueens", kRequired},
       {"FLEET.toml", &options.fleet_file,
        "machines that count: this one, ssh hosts, Slurm entries", kRequired},
       {"--n N", &options.n, "rows and columns of the board", {.most = 20, .required = true}},
       {"--pieces N", &options.split.pieces,
        "pieces of similar size; more lose less work when one is killed", up_to(100'000)},
       {"--algorithm paper|fast", &options.algorithm, "fast, or the search of [C]",
        one_of("paper|fast")},
       {"--device cpu|cuda", &options.suite.device, "where each machine counts [cpu]",
        one_of("cpu|cuda")},
       {"--threads N", &options.suite.threads, "threads of the program [all CPUs]", up_to(4096)},
       {"--tries N", &options.split.tries, "runs of a piece that fails, in one command",
        up_to(1000)},
       {"--queued N", &options.split.queued,
        "pieces that each Slurm entry has in its queue at once", up_to(32)},
       {"--again", &options.suite.repeat.again, "count anew what is in the store"},
       {"--keep", &options.suite.repeat.keep, "go on even though the program's file changed",
        excludes("--again")}});
  options.suite.repeat.start.add_no_wait_to(command);
}

}  // namespace lapcast

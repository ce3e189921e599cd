#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "commands/compare/comparison_plot.h"
#include "query/run_set.h"
#include "rank/comparison.h"
#include "report/comparison_report.h"

namespace lapcast {
namespace {

constexpr const char* kCompareFooter = R"(
Examples:
  lapcast compare 3f0c8a91d2e4 91d2b07c55aa       two sets that `lapcast suite run` printed
  lapcast compare program=mnist-mlp,batch=128 program=mnist-mlp,batch=256 --metric throughput
  lapcast compare 3f0c8a91d2e4,machine=1c-avx2 3f0c8a91d2e4,machine=2c-avx2 --metric lap
  lapcast compare 3f0c,91d2,77a0 41bc,0e5d,9a11   single runs, by the first digits of their ids
  lapcast compare SET SET --metric val_loss       any metric that the programs report
  lapcast compare SET SET --plot                  draws every value, too

A set is ids of runs, sets or sweeps, and KEY=VALUE (program, machine, kind, or a setting) that all
of its runs must have, with commas between them. Welch's test does not ask that both vary alike; a
difference counts as seen at p < 0.05. Metrics: time, lap, first-lap, init, throughput, accuracy
(best val_accuracy), training-accuracy, test-time, memory, cost; last-accuracy,
last-training-accuracy and last-NAME of any reported one are the last epoch's.)";

struct CompareArguments {
  std::string a;
  std::string b;
  std::string metric = "time";
  bool plot = false;
};

ExitCode compare_sets(const Globals& globals, const CompareArguments& options) {
  const RunMetric metric = parse_run_metric(options.metric);
  const Store store = globals.open_existing_store();
  const ComparedSet a = compared_set(options.a, runs_named(store, options.a), metric);
  const ComparedSet b = compared_set(options.b, runs_named(store, options.b), metric);
  const Comparison comparison = compare(a.values.values, b.values.values, metric);
  std::vector<Table> tables = comparison_tables(a, b, metric, comparison);
  if (options.plot && globals.format == "table")
    if (auto plot = comparison_plot(a, b, metric, globals.plot_style()))
      tables.push_back(*std::move(plot));
  print(globals, tables);
  return comparison.answered() ? ExitCode::ok : ExitCode::some_failed;
}

}  // namespace

static void add_compare(CLI::App& app, CommandLine& line) {
  const auto [command, options] =
      line.add(app, "compare", "compare two sets of runs: Welch's test, effect size, plain words",
               kCompareFooter, compare_sets);
  add_options(command, {{"A", &options.a, "a set of runs", kRequired},
                        {"B", &options.b, "the set that is compared with it", kRequired},
                        {"--metric NAME", &options.metric, "figure to compare by"},
                        {"--plot", &options.plot, "draw every value, and a box of each set"}});
}

extern const NamedCommand kCompareCommand{"compare", add_compare};

}  // namespace lapcast

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/rank_options.h"
#include "commands/rank/rank_strategies.h"
#include "commands/rank/strategy_report.h"
#include "commands/rank/task_export.h"
#include "core/display_width.h"
#include "fleet/worker_gpus.h"
#include "formats/format_list.h"
#include "query/input_files.h"
#include "query/rank_tables.h"
#include "query/typed_command.h"
#include "report/explanation_report.h"
#include "report/interval_plot.h"

namespace lapcast {
namespace {

constexpr const char* kRankFooter = R"(
Examples:
  lapcast rank                                   the newest sweep, cheapest first
  lapcast rank --plot                            draws the intervals, too
  lapcast rank --by time --max-cost 20
  lapcast rank --by score --weight 0.3           30 % cost, 70 % time
  lapcast rank --epochs 5,10,20                  does the winner change with the epochs?
  lapcast rank --deadline 2h --min-accuracy 95%
  lapcast rank --deadline 24h --risk 5%          at most this chance to be late
  lapcast rank --method epoch                    as the first paper's method forecasts
  lapcast rank --strategies                      each method's column beside Real, and its pick
  lapcast rank --explain                         why this one? what would another need?
  lapcast rank --include-transfer --bill         with set-up and sending; line by line
  lapcast rank --offers prices.csv --format csv
  lapcast rank --with-unmeasured                 with offers on machines that were not measured
  lapcast rank --export skypilot > task.yaml     the winner, to be rented: sky launch task.yaml
  lapcast rank --export sbatch > job.sh          the winner on a Slurm cluster: sbatch job.sh

Batch sizes need different numbers of epochs to the same accuracy. With `lapcast sweep
--find-epochs` each is ranked at its own number; without, all are ranked at equal epochs, and
--per-batch ranks each batch size apart.)";

constexpr OptionDetails kMethods{.one_of =
                                     "lapcast|epoch|iteration|iteration-with-validation|"
                                     "first-iteration|second-iteration|mean-2-10",
                                 .excludes = "--export"};

struct RankArguments {
  RankOptions ranking;
  bool plot = false;        // draws the intervals
  bool explain = false;     // says why the first choice is the first
  bool bill = false;        // shows the lines of each bill
  bool strategies = false;  // compares the methods
  std::string method = "lapcast";
  std::string exported;  // empty = the ranking itself is shown
};

/// Returns the drawing of a ranking in the width that the terminal leaves for it.
Table plot_of(const RankedRuns& ranked, const TextStyle& style) {
  std::size_t machine = display_width("machine");
  std::size_t settings = display_width("settings");
  for (const Choice& choice : ranked.ranking.chosen) {
    machine = std::max(machine, display_width(choice.candidate->machine_type));
    settings = std::max(settings, display_width(choice.candidate->settings));
  }
  const std::size_t width = style.width > 0 ? style.width : 100;
  const std::size_t names = machine + settings + 4;  // with the space between columns
  return interval_plot(ranked.ranking, width - std::min(width, names), style.ascii);
}

ExitCode export_winner(const Globals& globals, const RankOptions& options,
                       const std::string& format) {
  const Store store = globals.open_existing_store();
  const Winner winner = winner_of(store, options.checked(globals));
  warn(winner.warnings);
  if (was_imported(winner.run.context))
    throw Error(
        ExitCode::some_failed,
        fmt::format("the winner is the imported run {}, whose program is written into no task "
                    "file; to measure it here first, type: {}",
                    winner.run.context.id, typed_command("lapcast probe --", winner.run.context)));
  const auto machine = FleetLookup(store).machine_of(winner.run);
  std::optional<PlaceSetup> asked;
  if (machine) asked = place_setup_for(*machine, winner.run.context.settings);
  const PlaceSetup* const place = asked ? &*asked : nullptr;
  const auto& use = find_format(FormatKind::task, format)->use;
  if (const auto* write_job = std::get_if<WriteSlurmJob>(&use))
    write_to_stdout((*write_job)(slurm_job(winner, place)));
  else
    write_to_stdout(std::get<WriteTask>(use)(skypilot_task(winner, place)));
  return ExitCode::ok;
}

ExitCode rank(const Globals& globals, const RankArguments& arguments) {
  const RankOptions& options = arguments.ranking;
  if (!arguments.exported.empty() && options.request.with_unmeasured)
    throw Error(ExitCode::usage,
                "--export is of a measured candidate: leave --with-unmeasured out");
  if (!arguments.exported.empty()) return export_winner(globals, options, arguments.exported);
  RankRequest request = options.checked(globals);
  request.preferences.method = method_named(arguments.method).value();
  const Store store = globals.open_existing_store();
  const RankResult result = rank_runs(store, request);
  warn(result.selected.warnings);
  std::vector<Table> tables = rank_tables(result, request);
  if (arguments.plot)
    for (const RankedRuns& ranked : result.rankings)
      tables.push_back(plot_of(ranked, globals.style()));
  const std::vector<Strategies> strategies =
      arguments.strategies ? compare_strategies(store, request) : std::vector<Strategies>{};
  for (std::size_t i = 0; i < result.rankings.size(); ++i) {
    const Ranking& ranking = result.rankings[i].ranking;
    const auto add = [&](Table table) {
      add_first_column(table, {"ranking", ""}, static_cast<std::int64_t>(i) + 1);
      tables.push_back(std::move(table));
    };
    if (arguments.explain) add(explanation_table(ranking));
    if (arguments.bill) add(bill_table(ranking));
    if (i < strategies.size())
      for (Table& table : strategy_tables(strategies[i])) add(std::move(table));
  }
  const bool any = std::ranges::any_of(
      result.rankings, [](const RankedRuns& ranked) { return !ranked.ranking.chosen.empty(); });
  if (any && result.selected.sweep && globals.format == "table")
    tables.push_back({.before = {"next: lapcast verify --top 1 (was the forecast right?), lapcast "
                                 "offload (the whole training)"}});
  print(globals, tables);
  if (!any) say("nothing could be ranked; the reasons are above");
  return any ? ExitCode::ok : ExitCode::some_failed;
}

}  // namespace

static void add_rank(CLI::App& app, CommandLine& line) {
  const auto [command, options] =
      line.add(app, "rank", "rank the probed candidates by cost, time or both", kRankFooter, rank);
  options.ranking.add_to(command);
  const std::string tasks = names_of_formats(FormatKind::task);
  const std::string help =
      "print the winner as a task file: " + names_of_formats(FormatKind::task, ", ");
  add_options(
      command,
      {{"--export FORMAT", &options.exported, help.c_str(), one_of(tasks.c_str())},
       {"--method NAME", &options.method,
        "forecast as lapcast does, or as Malta 2021: epoch, iteration, iteration-with-validation, "
        "first-iteration, second-iteration or mean-2-10; without intervals",
        kMethods},
       {"--strategies", &options.strategies,
        "compare all methods: what each picks and really loses, and the bill of the search",
        excludes("--export")},
       {"--plot", &options.plot, "draw the intervals below the tables", excludes("--export")},
       {"--explain", &options.explain,
        "say why the first is the first, and what others would need to be it",
        excludes("--export")},
       {"--bill", &options.bill, "show the lines of each bill", excludes("--export")}});
}

extern const NamedCommand kRankCommand{"rank", add_rank};

}  // namespace lapcast

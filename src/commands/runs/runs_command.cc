#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/run_options.h"
#include "commands/runs/scrub.h"
#include "core/units.h"
#include "price/offer.h"
#include "query/forecast_run.h"
#include "query/rank_runs.h"
#include "query/run_list.h"
#include "report/lap_plot.h"
#include "report/run_report.h"
#include "report/run_timeline.h"
#include "run/imported_tag.h"
#include "run/secrets.h"

namespace lapcast {
namespace {

constexpr const char* kRunsFooter = R"(
Examples:
  lapcast runs
  lapcast runs --here --since 2026-11-20
  lapcast runs --program train.py --newest 5 --format json
  lapcast runs --sweep 3f0c --kind full
  lapcast runs tag last baseline               then: lapcast runs --tag baseline
  lapcast runs rm 3f0c8a 77e1
  lapcast runs rm --imported 2026-11-28        logs of other tools, all of a day
  lapcast runs scrub                           remove secrets from the store)";

constexpr std::size_t kNewest = 20;  // shown by a table

struct RunsArguments {
  std::string sweep;
  std::string kind;
  std::string program;
  std::optional<std::string> since;
  std::string tag;
  bool here = false;
  std::optional<int> newest;  // 0 = all
};

std::string parse_day(const std::string& text) {
  if (parse_date(text)) return text;
  throw Error(ExitCode::usage,
              fmt::format("'{}' is not a date, such as 2026-11-20", printable(text, 40)));
}

RunFilter filter_of(const Store& store, const RunsArguments& options) {
  RunFilter filter;
  if (!options.sweep.empty()) filter.sweep = sweep_named(store, options.sweep);
  if (!options.program.empty()) filter.program = options.program;
  if (!options.tag.empty()) filter.tag = options.tag;
  if (options.here) filter.folder = std::filesystem::current_path().string();
  filter.since = options.since;
  for (const RunKind kind : {RunKind::probe, RunKind::full, RunKind::find_epochs})
    if (options.kind == to_string(kind)) filter.kind = kind;
  return filter;
}

ExitCode runs(const Globals& globals, const RunsArguments& options) {
  const Store store = globals.open_existing_store();
  std::vector<RunSummary> runs = store.list(filter_of(store, options));
  const std::size_t all = runs.size();
  const std::size_t most = options.newest              ? static_cast<std::size_t>(*options.newest)
                           : globals.format == "table" ? kNewest
                                                       : 0;
  if (most > 0 && all > most)
    runs.erase(runs.begin(), runs.end() - static_cast<std::ptrdiff_t>(most));
  Table table = run_list(runs);
  if (!options.newest && runs.size() < all)
    table.notes.push_back(
        fmt::format("the newest {} of {} runs; --newest 0 shows all", runs.size(), all));
  print(globals, {table});
  return ExitCode::ok;
}

struct TagArguments {
  std::string run;
  std::string tag;
};

ExitCode tag(const Globals& globals, const TagArguments& options) {
  globals.open_existing_store();  // refuses before a store is created
  Store store = globals.open_store();
  store.tag_run(store.get(options.run).context.id, options.tag);
  return ExitCode::ok;
}

struct RemoveArguments {
  std::vector<std::string> runs;
  std::optional<std::string> imported;  // on this day
};

ExitCode remove(const Globals& globals, const RemoveArguments& options) {
  if (options.runs.empty() && !options.imported)
    throw Error(ExitCode::usage, "runs rm needs RUN or --imported DAY; see lapcast runs rm --help");
  globals.open_existing_store();
  Store store = globals.open_store();
  std::set<std::string> ids;  // all are checked before any is removed
  for (const std::string& run : options.runs) ids.insert(store.get(run).context.id);
  if (options.imported) {
    RunFilter filter;
    filter.tag = imported_tag(*parse_date(*options.imported));
    for (const RunSummary& run : store.list(filter)) ids.insert(run.id);
  }
  for (const std::string& id : ids) store.remove_run(id);
  if (!globals.quiet) say("{} runs are removed", ids.size());
  return ExitCode::ok;
}

constexpr const char* kScrubFooter = R"(
Examples:
  lapcast runs scrub
  LAPCAST_SECRETS=license,customer lapcast runs scrub

Replaces the values of secrets (lapcast help secrets) in all that the store keeps by ***; their bytes are
gone from its file, too. Such runs are shown, ranked and exported as before, but cannot be started
again: verify and offload say so. Backups and exports that were made before are not touched.)";

ExitCode scrub(const Globals& globals) {
  globals.open_existing_store();  // refuses before a store is created
  Store store = globals.open_store();
  const ScrubbedStore scrubbed = scrub_store(store);
  if (!globals.quiet)
    say("secrets removed from {} runs and {} sweeps and trainings under way", scrubbed.runs,
        scrubbed.others);
  return ExitCode::ok;
}

constexpr const char* kShowFooter = R"(
Examples:
  lapcast show last
  lapcast show 3f0c --laps --format csv      the first digits of a run's id are enough
  lapcast show last --output                 what the program printed
  lapcast show last --plot                   draws the laps, too
  lapcast show last --epochs 90 --methods    forecast another plan, by the papers' methods too)";

struct ShowArguments {
  std::string run = "last";
  ProbeOptions plan;
  RunReportOptions report;
  bool plot = false;
  bool alone = false;
};

ExitCode show(const Globals& globals, const ShowArguments& options) {
  const Store store = globals.open_existing_store();
  const Run run = store.get(options.run);
  RunForecaster forecaster = options.alone ? RunForecaster() : RunForecaster(store);
  const Assessment assessment = forecaster.forecast(run, options.plan.plan);
  RunReportOptions report = options.report;
  report.ascii = globals.plot_style().ascii;
  report.undisturbed = [&] { return forecaster.undisturbed(run, options.plan.plan); };
  std::vector<Table> tables = run_tables(masked(run), assessment, report);
  if (options.plot && globals.format == "table")
    std::ranges::move(lap_plots(timeline_of(run), globals.plot_style()),
                      std::back_inserter(tables));
  print(globals, tables);
  return ExitCode::ok;
}

}  // namespace

static void add_runs(CLI::App& app, CommandLine& line) {
  const auto [command, options] =
      line.add(app, "runs", "list the runs in the store", kRunsFooter, runs);
  add_options(
      command,
      {{"--sweep ID", &options.sweep, "those of one sweep"},
       {"--kind", &options.kind, "probe, full or find-epochs", one_of("probe|full|find-epochs")},
       {"--program TEXT", &options.program, "whose command has this text in it"},
       {"--here", &options.here, "started in this folder"},
       {"--since DATE", parsed(options.since, parse_day), "started on this day or later"},
       {"--tag TAG", &options.tag, "with this tag"},
       {"--newest N",
        &options.newest,
        "the newest so many, 0 = all [20 in a table, all in other formats]",
        {.most = 1 << 30, .least = 0}}});
  const auto [tag_command, tag_options] =
      line.add(command, "tag", "give a run a tag", kRunsFooter, tag);
  add_options(tag_command, {{"RUN", &tag_options.run, "id, its first digits, or 'last'", kRequired},
                            {"TAG", &tag_options.tag, "the tag [removes it]"}});
  const auto [remove_command, remove_options] =
      line.add(command, "rm", "remove runs from the store", kRunsFooter, remove);
  add_options(remove_command, {{"RUN", &remove_options.runs, "ids, their first digits, or 'last'"},
                               {"--imported DAY", parsed(remove_options.imported, parse_day),
                                "logs of other tools that were imported on this day"}});
  line.add(command, "scrub", "remove secrets from the store", kScrubFooter, scrub);
}

extern const NamedCommand kRunsCommand{"runs", add_runs};

static void add_show(CLI::App& app, CommandLine& line) {
  const auto [command, options] =
      line.add(app, "show", "show one run: laps, forecast, output", kShowFooter, show);
  add_options(command, {{"RUN", &options.run, "id, its first digits, or 'last'"}});
  options.plan.add_plan_to(command);
  add_options(command,
              {{"--laps", &options.report.raw_laps, "every raw lap"},
               {"--output", &options.report.output, "what the program printed"},
               {"--plot", &options.plot, "draw the laps over time and their histogram"},
               {"--methods", &options.report.methods, "the papers' forecasts beside ours"}});
  add_alone_to(command, options.alone);
}

extern const NamedCommand kShowCommand{"show", add_show};

}  // namespace lapcast

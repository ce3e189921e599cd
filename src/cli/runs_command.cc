#include <cstddef>
#include <string>

#include "app/forecast_run.h"
#include "app/scrub.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/run_options.h"
#include "report/run_report.h"
#include "run/secrets.h"

namespace lapcast {
namespace {

constexpr const char* kRunsFooter = R"(
Examples:
  lapcast runs
  lapcast runs --newest 5 --format json
  lapcast runs --sweep 3f0c8a91d2e4 --kind full
  lapcast runs scrub                           remove secrets from the store)";

struct RunsArguments {
  std::string sweep;
  std::string kind;
  std::size_t newest = 0;
};

RunFilter filter_of(const RunsArguments& options) {
  RunFilter filter;
  if (!options.sweep.empty()) filter.sweep = options.sweep;
  filter.newest = options.newest;
  for (const RunKind kind : {RunKind::probe, RunKind::full, RunKind::find_epochs})
    if (options.kind == to_string(kind)) filter.kind = kind;
  return filter;
}

ExitCode runs(const Globals& globals, const RunsArguments& options) {
  const Table table = table_of<RunSummary>(
      "Runs",
      {{"run", "run", &RunSummary::id},
       {"started_at", "started", &RunSummary::started_at},
       {"kind", "kind", [](auto& run) { return to_string(run.kind); }},
       {"machine_type", "machine", &RunSummary::machine_type},
       {"settings", "settings", [](auto& run) { return masked_text(run.settings); }},
       {"program", "program", [](auto& run) { return masked_text(run.program); }},
       {"outcome", "outcome", [](auto& run) { return masked_text(run.outcome); }},
       {"sweep", "sweep", &RunSummary::sweep}},
      globals.open_existing_store().list(filter_of(options)));
  print(globals, {table});
  return ExitCode::ok;
}

constexpr const char* kScrubFooter = R"(
Examples:
  lapcast runs scrub
  LAPCAST_SECRETS=license,customer lapcast runs scrub

Replaces the values of secrets (docs/secrets.md) in all that the store keeps by ***; their bytes are
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
  lapcast show last --epochs 90 --methods    forecast another plan, by the papers' methods too)";

struct ShowArguments {
  std::string run = "last";
  ProbeOptions plan;
  RunReportOptions report;
  bool alone = false;
};

ExitCode show(const Globals& globals, const ShowArguments& options) {
  const Store store = globals.open_existing_store();
  const Run run = store.get(options.run);
  RunForecaster forecaster = options.alone ? RunForecaster() : RunForecaster(store);
  const Assessment assessment = forecaster.forecast(run, options.plan.plan);
  RunReportOptions report = options.report;
  report.undisturbed = [&] { return forecaster.undisturbed(run, options.plan.plan); };
  print(globals, run_tables(masked(run), assessment, report));
  return ExitCode::ok;
}

}  // namespace

void add_runs(CLI::App& app, CommandLine& line) {
  const auto [command, options] =
      line.add(app, "runs", "list the runs in the store", kRunsFooter, runs);
  add_options(command, {{"--sweep ID", &options.sweep, "those of one sweep"},
                        {"--kind", &options.kind, "probe, full or find-epochs",
                         one_of("probe|full|find-epochs")},
                        {"--newest N", &options.newest, "the newest so many"}});
  line.add(command, "scrub", "remove secrets from the store", kScrubFooter, scrub);
}

void add_show(CLI::App& app, CommandLine& line) {
  const auto [command, options] =
      line.add(app, "show", "show one run: laps, forecast, output", kShowFooter, show);
  add_options(command, {{"RUN", &options.run, "id, its first digits, or 'last'"}});
  options.plan.add_plan_to(command);
  add_options(command,
              {{"--laps", &options.report.raw_laps, "every raw lap"},
               {"--output", &options.report.output, "what the program printed"},
               {"--methods", &options.report.methods, "the papers' forecasts beside ours"}});
  add_alone_to(command, options.alone);
}

}  // namespace lapcast

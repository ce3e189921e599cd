#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <memory>
#include <variant>

#include "app/forecast_run.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/machine_options.h"
#include "cli/probe_options.h"
#include "cli/view/campaign_display.h"
#include "core/units.h"
#include "fleet/campaign.h"
#include "fleet/fleet_file.h"
#include "fleet/housekeeping.h"
#include "posix/program_file.h"
#include "probe/cpu_quota.h"
#include "probe/ids_and_time.h"
#include "report/run_report.h"

namespace lapcast {
namespace {

constexpr const char* kProbeFooter = R"(
Examples:
  lapcast probe --epochs 12 -- ./train --data mnist --batch 128
  lapcast probe --epochs 90 --samples 1281167 --val-samples 50000 --price 3.06 -- ./train
  lapcast probe --machine half-a-core --cpus 0 --cpu-quota 50% -- ./train --out {run_dir}

The program runs until its steady lap is known to --precision, at least 10 steady laps, or until
--budget or --max-laps; then it gets TERM, and KILL after --grace. Python programs that train with
PyTorch, Keras, Lightning or Hugging Face are observed as they are, by a hook on their PYTHONPATH;
others report their laps: see docs/lap-log.md. {run_dir} (and LAPCAST_RUN_DIR) is an empty folder
of this run's own.)";

struct ProbeArguments {
  ProbeOptions probe;
  MachineOptions machine;
  bool methods = false;
};

ExitCode probe(const Globals& globals, const ProbeArguments& options) {
  RunContext context = common_context(program_of(globals, "probe"), options.probe.plan);
  if (const auto found = find_program(context.program[0]); !found)
    throw Error(ExitCode::program_failed, found.error().text);
  context.id = new_id();
  context.machine_type = options.machine.machine_type();
  context.price = options.machine.price_per_hour();
  if (const auto reason = cannot_run_here(context.machine_type, context.machine))
    throw Error(ExitCode::usage, reason->text);
  ProbeRequest request = options.probe.request(context);  // checked before anything is started
  Store store = globals.open_store();
  Interrupt interrupt;
  remove_stale_run_folders_and_cgroups(options.probe.run_parent);
  request.context.start = start_kind(store, context);
  // A campaign of one: its supervisor process ends the program even when this process is killed.
  WorkerExecutor executor(interrupt);
  CampaignDisplay display(globals.quiet);
  Run run;
  CampaignListener listener = display.campaign();
  listener.on_run = [&](const Run& ended) { run = ended; };
  display.start("probing", 1);
  run_campaign({request}, executor, store, interrupt, listener);
  display.end();
  tell_trouble(run);
  print(globals, run_tables(run, RunForecaster(store).forecast(run), {.methods = options.methods}));
  if (!has_laps(run.outcome)) say("{}", printable(describe(run.outcome), 1000));
  if (std::holds_alternative<outcome::Interrupted>(run.outcome)) return ExitCode::interrupted;
  return has_laps(run.outcome) ? ExitCode::ok : ExitCode::program_failed;
}

}  // namespace

void add_probe(CLI::App& app, Globals& globals, Action& action) {
  auto options = std::make_shared<ProbeArguments>();
  CLI::App* command =
      app.add_subcommand("probe", "run a program for a few laps and forecast its whole training");
  options->probe.add_plan_to(*command);
  options->probe.add_limits_to(*command);
  options->machine.add_to(*command);
  command->add_flag("--methods", options->methods, "show the papers' forecasts beside ours");
  command->footer(kProbeFooter);
  command->callback([&globals, &action, options] {
    action = {[&globals, options] { return probe(globals, *options); }, true};
  });
}

}  // namespace lapcast

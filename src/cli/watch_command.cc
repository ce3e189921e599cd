#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <memory>
#include <utility>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/machine_options.h"
#include "cli/probe_options.h"
#include "cli/view/watch_line.h"
#include "cli/view/watch_view.h"
#include "cli/watch_limits.h"
#include "core/units.h"
#include "fleet/campaign.h"
#include "fleet/fleet_file.h"
#include "fleet/housekeeping.h"
#include "posix/program_file.h"
#include "probe/ids_and_time.h"

namespace lapcast {
namespace {

constexpr const char* kWatchFooter = R"(
Examples:
  lapcast watch -- python3 train.py --epochs 12
  lapcast watch --price 3.06 --max-cost 20 -- python3 train.py
  lapcast watch --max-time 6h --on-exceed warn --epochs 90 -- ./train

The program runs to its end, its output goes on where it went. A live line on stderr tells epoch,
laps per second, time left and money, with 95 % intervals; where stderr is no terminal a plain line
does every so often. It is stopped (TERM, KILL after --grace) when a limit is reached, or as soon as
the forecast's lower bound is above it; exit code 7. What was forecast when is kept: `lapcast show`
tells afterwards how far it was off. docs/watch.md has the details.)";

struct WatchArguments {
  ProbeOptions start;
  MachineOptions machine;
  WatchLimitOptions limits;
};

ProbeRequest request_of(const Globals& globals, const WatchArguments& options) {
  RunContext context = common_context(program_of(globals, "watch"), options.start.plan);
  if (const auto found = find_program(context.program[0]); !found)
    throw Error(ExitCode::program_failed, found.error().text);
  context.id = new_id();
  context.kind = RunKind::full;
  context.machine_type = options.machine.machine_type();
  context.price = options.machine.price_per_hour();
  if (const auto reason = cannot_run_here(context.machine_type, context.machine))
    throw Error(ExitCode::usage, reason->text);
  ProbeRequest request = options.start.request(std::move(context));
  request.watch = WatchRequest{options.limits.limits(request.context.price)};
  return request;
}

ExitCode watch(const Globals& globals, const WatchArguments& options) {
  ProbeRequest request = request_of(globals, options);
  Store store = globals.open_store();
  Interrupt interrupt;
  remove_stale_run_folders_and_cgroups(options.start.run_parent);
  request.context.start = start_kind(store, request.context);
  WatchView view(globals.quiet, request.context.price);
  request.watch->view = &view;
  WorkerExecutor executor(interrupt);
  Run run;
  CampaignListener listener;
  listener.on_run = [&](const Run& ended) { run = ended; };
  run_campaign({request}, executor, store, interrupt, listener);
  if (!globals.quiet || exit_code_of(run) != ExitCode::ok)
    say("{}", printable(watch_summary(run), 1200));
  return exit_code_of(run);
}

}  // namespace

void add_watch(CLI::App& app, Globals& globals, Action& action) {
  auto options = std::make_shared<WatchArguments>();
  CLI::App* command = app.add_subcommand(
      "watch", "run a program to its end: progress, forecast, limits of time and money");
  options->start.add_plan_to(*command);
  options->limits.add_to(*command);
  options->machine.add_to(*command);
  options->start.add_start_to(*command);
  command->footer(kWatchFooter);
  command->callback([&globals, &action, options] {
    action = {[&globals, options] { return watch(globals, *options); }, true};
  });
}

}  // namespace lapcast

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/offload.h"
#include "cli/commands.h"
#include "cli/offload_destination.h"
#include "cli/view/progress_line.h"
#include "core/units.h"
#include "posix/program_file.h"
#include "probe/ids_and_time.h"

namespace lapcast {
namespace {

constexpr const char* kOffloadFooter = R"(
Examples:
  lapcast offload                                   what `lapcast rank` says is the cheapest
  lapcast offload --by time --max-cost 40
  lapcast offload --to gpu-box fleet.toml -- python3 train.py --epochs 90
  lapcast offload --resume-flag '--resume {checkpoint}' --checkpoints 'epoch-*.pt'

Runs the whole training on one machine of a fleet file, detached: it goes on when this command, the
link or this machine ends. BEST is the first of the newest sweep's ranking, with its settings, and with its
program when none is given. The program's folder is sent as for a probe. Limits are watched on that machine.
`lapcast jobs` lists what was sent, `attach` shows one as it goes on, `fetch` brings results back,
`cancel` ends it. docs/offload.md has the details.)";

ProbeRequest request_for(const OffloadArguments& options, const Destination& destination) {
  RunContext context = destination.context;
  context.id = new_id();
  context.kind = RunKind::full;
  context.started_at = utc_now();
  ProbeRequest request = options.start.request(std::move(context));
  request.run_parent.clear();  // in lapcast's own folder on that machine
  request.keep_run_folder = true;
  request.watch = WatchRequest{options.limits.limits(request.context.price)};
  request.resume = resume_plan(options);
  request.site = destination.machine.site;
  return request;
}

/// Before anything is kept: a program that is not here, a host that cannot be reached.
void check(const ProbeRequest& request, const FleetMachine& machine, const Interrupt& interrupt) {
  if (is_here(request.site.place)) {
    if (const auto found = find_program(request.context.program[0]); !found)
      throw Error(ExitCode::program_failed, found.error().text);
    if (const auto reason = cannot_run_here(machine, request.context.machine))
      throw Error(ExitCode::usage, reason->text);
  }
  const auto host = host_of(request.site.place);
  const CommandOptions options{.timeout = contact_patience(), .interrupt = &interrupt};
  if (const auto there = host->run({"true"}, options); !there)
    throw Error(ExitCode::system_failed, there.error().reason.text);
}

PendingRun pending_run_of(const ProbeRequest& request) {
  return {request.context.id,    "",        kOffload,
          request.context.place, utc_now(), to_json_line(RemoteRequest{request})};
}

Table sent_table(const ProbeRequest& request) {
  const auto place = [](const RunContext& context) {
    return context.place.empty() ? "this machine" : context.place;
  };
  Table table = table_of<RunContext>(
      "Offloaded",
      {{"id", "id", &RunContext::id},
       {"machine_type", "machine", [](auto& context) { return context.machine_type.name; }},
       {"place", "place", place},
       {"settings", "settings", settings_text, {.optional = true}}},
      std::vector{request.context});
  table.notes = {
      fmt::format("lapcast attach {0} shows how it goes on, lapcast fetch {0} brings its "
                  "results",
                  request.context.id)};
  return table;
}

ExitCode offload(const Globals& globals, const OffloadArguments& options) {
  const Destination destination = destination_of(globals, options);
  ProbeRequest request = request_for(options, destination);
  Interrupt interrupt;
  check_destination(request, destination.machine, interrupt);
  Store store = globals.open_store();
  request.store_file = store.file();
  ProgressLine line(globals.quiet);
  const auto remote = remote_run(request, interrupt);
  const auto begun =
      begin_training(store, request, *remote, [&](const std::string& what) { line.show(what); });
  line.clear();
  if (!begun)
    throw Error(interrupt.count() > 0 ? ExitCode::interrupted : ExitCode::system_failed,
                fmt::format("{}; lapcast jobs tells whether it began all the same, lapcast cancel "
                            "--forget {} forgets it",
                            begun.error().text, request.context.id));
  print(globals, {sent_table(request)});
  return ExitCode::ok;
}

}  // namespace

void add_offload(CLI::App& app, Globals& globals, Action& action) {
  auto options = std::make_shared<OffloadArguments>();
  CLI::App* command =
      app.add_subcommand("offload", "the whole training on the chosen machine, detached");
  command->add_option("FLEET.toml", options->fleet_file,
                      "fleet file that knows the machine [that of the sweep]");
  command->add_option("--to", options->to, "a machine of the fleet file, or BEST of the ranking")
      ->type_name("NAME")
      ->capture_default_str();
  command->add_option("--by", options->ranking.by, "what is best: cost or time")
      ->check(CLI::IsMember({"cost", "time"}))
      ->capture_default_str();
  command
      ->add_option("--sweep", options->ranking.request.selection.sweep,
                   "the sweep that is ranked [the newest]")
      ->type_name("ID");
  command
      ->add_option("--offers", options->ranking.request.selection.offer_files,
                   "catalog of prices (docs/catalog.md), beside the fleet's")
      ->type_name("FILE.csv")
      ->take_all();
  command->add_flag("--same-epochs", options->ranking.request.same_epochs,
                    "rank different batch sizes together, at equal epochs");
  command->add_option("--batch", options->batch, "value of {batch}: the same as --set batch=N")
      ->type_name("N");
  command->add_option("--set", options->settings, "value of a placeholder: lr=0.1")
      ->type_name("NAME=V")
      ->take_all();
  options->start.add_plan_to(*command);
  options->limits.add_to(*command);
  command
      ->add_option("--resume-flag", options->resume_flag,
                   "arguments with which it goes on after it was cut off: '--resume {checkpoint}'")
      ->type_name("ARGUMENTS");
  command
      ->add_option("--checkpoints", options->checkpoints,
                   "names of checkpoints in the run folder; the newest is {checkpoint}")
      ->type_name("PATTERN")
      ->capture_default_str();
  command
      ->add_option("--grace", options->start.grace,
                   "time between asking the program to end (TERM) and killing it")
      ->type_name("TIME")
      ->capture_default_str();
  command->add_flag("--no-hook", options->start.no_hook,
                    "leave Python programs alone: they report laps themselves");
  command->footer(kOffloadFooter);
  command->callback([&globals, &action, options] {
    action = {[&globals, options] { return offload(globals, *options); }, true};
  });
}

}  // namespace lapcast

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/page_file.h"
#include "cli/progress_line.h"
#include "commands/offload/offload.h"
#include "commands/offload/offload_destination.h"
#include "commands/offload/rented_training.h"
#include "commands/offload/session_training.h"
#include "core/units.h"
#include "fleet/candidates.h"
#include "fleet/worker_gpus.h"
#include "probe/ids_and_time.h"
#include "query/queue_limit.h"
#include "remote/run_at_place.h"
#include "report/answer.h"
#include "run/settings.h"

namespace lapcast {
namespace {

constexpr const char* kOffloadFooter = R"(
Examples:
  lapcast offload                                   what `lapcast rank` says is the cheapest
  lapcast offload --by time --max-cost 40
  lapcast offload --to gpu-box fleet.toml -- python3 train.py --epochs 90
  lapcast offload --resume-flag '--resume {checkpoint}' --checkpoints 'epoch-*.pt'
  lapcast offload nodes.toml --sessions lab,desk --session-time 2h --resume-flag '--resume {checkpoint}' -- ./train

Runs the whole training on one machine of a fleet file, detached: it goes on when this command, the
link or this machine ends. BEST is the first of the newest sweep's ranking, with its settings, and with its
program when none is given. The program's folder is sent as for a probe. Limits are watched on that machine.
A queue is asked for 1.2 times the upper end of the forecast: the time_limit of a fleet file is that of probes.
A machine that has to be rented needs --max-cost: this command then stays until the end, brings the results
into lapcast-ID and gives the machine back; with --resume-flag the training goes on on another one after a preemption.
With --sessions the machines train in turn, each from the checkpoint that came home from the one before; this
command then stays, and the same command goes on after Ctrl-C or a kill.
`lapcast jobs` lists what was sent, `attach` shows one as it goes on, `fetch` brings results back,
`cancel` ends it. lapcast help offload.md has the details.)";

/// Describes the choice, its time and its cost: "a100 batch=64: 5.9 h, $14.69 by forecast for 90
/// epochs, at $2.49/h (list, 2026-11-20)". Leaves out what is not known.
std::string pick_text(const Destination& destination) {
  const RunContext& context = destination.context;
  const auto& price = context.price;
  const bool has_price = price && price->price.per_hour > Money();
  const std::int64_t epochs = context.plan.epochs;
  std::string text = candidate_name(context);
  if (const auto& quote = destination.quote)
    text += fmt::format(": {}{} by forecast{}", format_duration(quote->time.mid),
                        has_price ? ", " + dollar_text(quote->total.mid) : "",
                        epochs > 0 ? fmt::format(" for {} epochs", epochs) : "");
  if (has_price) text += ", at " + price_text(*price);
  return text;
}

Table sent_table(const ProbeRequest& request, const Destination& destination,
                 const std::optional<std::string>& asked) {
  const auto place = [](const RunContext& context) {
    return context.place.empty() ? "this machine" : context.place;
  };
  Table table = table_of<RunContext>(
      "offloaded", "Offloaded",
      {{"id", "id", &RunContext::id},
       {"machine_type", "machine", [](auto& context) { return context.machine_type.name; }},
       {"place", "place", place},
       {"settings", "settings", [](auto& context) { return Settings{settings_text(context)}; },
        kOptional}},
      std::vector{request.context});
  table.shape = Shape::record;
  table.answer = {"Sent to " + pick_text(destination)};
  if (!destination.sweep.empty()) table.before = {destination.sweep};
  if (asked) table.notes.push_back(*asked);
  table.notes.push_back(
      fmt::format("lapcast attach {0} shows how it goes on, lapcast fetch {0} brings its results",
                  request.context.id));
  return table;
}

ExitCode offload(const Globals& globals, const OffloadArguments& options) {
  if (!options.sessions.empty()) return train_in_sessions(globals, options);
  if (options.session_time || options.again)
    throw Error(ExitCode::usage, "--session-time and --again are for a training in --sessions");
  const Destination destination = destination_of(globals, options);
  ProbeRequest request = training_request(options, destination);
  if (destination.machine.rent)
    return train_on_rented(globals, options, destination, std::move(request));
  Interrupt interrupt;
  check_destination(request, destination.machine, interrupt);
  Store store = globals.open_store();
  request.store_file = store.file();
  const auto asked = ask_queue(request, store, options);
  if (!is_this_machine(request.place_setup.place)) warn_of_files_left(store, request.context);
  ProgressLine line(globals.quiet);
  const auto remote = remote_run(request, interrupt);
  const auto begun = begin_training(store, request, typed_line(globals), *remote,
                                    [&](const std::string& what) { line.show(what); });
  line.clear();
  if (!begun)
    throw Error(interrupt.count() > 0 ? ExitCode::interrupted : ExitCode::system_failed,
                fmt::format("{}; lapcast jobs tells whether it began all the same, lapcast cancel "
                            "--forget {} forgets it",
                            begun.error().text, request.context.id));
  print(globals, {sent_table(request, destination, asked)});
  return ExitCode::ok;
}

}  // namespace

static void add_offload(CLI::App& app, CommandLine& line) {
  const auto [command, options] =
      line.add(app, "offload", "the whole training on the chosen machine, detached", kOffloadFooter,
               offload, Takes::program);
  RankRequest& ranked = options.ranking.request;
  add_options(
      command,
      {{"FLEET.toml", &options.fleet_file,
        "fleet file of the machine; --to needs it [that of the sweep]"},
       {"--to NAME", &options.to, "a machine of the fleet file, or BEST of the ranking"},
       {"--sessions NAMES",
        &options.sessions,
        "machines that train in turn, each from the checkpoint of the one before: a,b or all",
        {.comma_separated = true, .excludes = "--to"}},
       {"--by", &options.ranking.by, "what is best: cost or time", one_of("cost|time")},
       {"--sweep ID", &ranked.selection.sweep, kSweepHelp},
       {"--offers FILE.csv", &ranked.selection.offer_files,
        "catalog of prices (lapcast help catalog.md), beside the fleet's"},
       {"--same-epochs", &ranked.same_epochs,
        "rank batch sizes at equal epochs, even where --find-epochs learned their own"},
       {"--batch N", &options.batch, "value of {batch}: the same as --set batch=N"},
       {"--set NAME=V", &options.settings, "value of a placeholder: lr=0.1"}});
  options.start.add_plan_to(command);
  options.limits.add_to(command);
  add_options(
      command,
      {{"--resume-flag ARGUMENTS", &options.resume_flag,
        "arguments with which it goes on after it was cut off: '--resume {checkpoint}'"},
       {"--session-time TIME", parsed(options.session_time, above_zero(parse_duration, "2h")),
        "time of each session of --sessions [until it is cut off]"},
       {"--again", &options.again, "begin a training in --sessions anew"},
       {"--time-limit TIME", parsed(options.time_limit, above_zero(parse_duration, "6h")),
        "time that the queue is asked for [1.2 times the forecast's upper end]"},
       {"--checkpoints PATTERN", &options.checkpoints,
        "names of checkpoints in the run folder; the newest is {checkpoint}"},
       {"--grace TIME", parsed(options.start.grace, parse_duration, "5s"),
        "time between asking the program to end (TERM) and killing it"},
       {"--no-hook", &options.start.no_hook,
        "leave Python programs alone: they report laps themselves"}});
}

extern const NamedCommand kOffloadCommand{"offload", add_offload};

}  // namespace lapcast

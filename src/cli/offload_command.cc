#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/commands.h"
#include "cli/offloaded.h"
#include "cli/probe_options.h"
#include "cli/program_change.h"
#include "cli/progress_line.h"
#include "cli/rank_options.h"
#include "cli/sweep_fleet.h"
#include "cli/typed_command.h"
#include "cli/watch_limits.h"
#include "core/units.h"
#include "fleet/candidates.h"
#include "fleet/fleet_file.h"
#include "posix/program_file.h"
#include "probe/checkpoints.h"
#include "probe/ids_and_time.h"
#include "remote/host.h"
#include "remote/patience.h"
#include "run/secrets.h"

namespace lapcast {
namespace {

constexpr const char* kOffloadFooter = R"(
Examples:
  lapcast offload                                   what `lapcast rank` says is the cheapest
  lapcast offload --by time --max-cost 40
  lapcast offload --to gpu-box fleet.toml -- python3 train.py --epochs 90
  lapcast offload --resume-flag '--resume {checkpoint}' --checkpoints 'epoch-*.pt'

The whole training on one machine of a fleet file, detached: it goes on when this command, the link
or this machine ends. BEST is the first of the newest sweep's ranking, with its settings, and with its
program when none is given. The program's folder is sent as for a probe. Limits are watched there.
`lapcast jobs` lists what was sent, `attach` shows one as it goes on, `fetch` brings results back,
`cancel` ends it. docs/offload.md has the details.)";

struct OffloadArguments {
  std::string to = "BEST";
  std::string fleet_file;
  RankOptions ranking;
  std::string batch;
  std::vector<std::string> settings;
  ProbeOptions start;
  WatchLimitOptions limits;
  std::string resume_flag;
  std::string checkpoints = "*";
};

/// One machine and one combination of settings for the whole training.
struct Destination {
  FleetMachine machine;
  RunContext context;
};

/// The only candidate of a machine. `file_settings`: of the fleet file, for what is not given.
RunContext only_candidate(const OffloadArguments& options, const FleetMachine& machine,
                          const PlaceholderValues& file_settings,
                          const std::vector<std::string>& program) {
  PlaceholderValues values;
  if (!options.batch.empty()) values.insert(parse_setting("batch=" + options.batch));
  for (const std::string& setting : options.settings) values.insert(parse_setting(setting));
  for (const std::string& name : placeholders_of(program))
    if (const auto in_file = file_settings.find(name); in_file != file_settings.end())
      values.insert(*in_file);
  const auto candidates =
      candidates_of({{machine}, {}}, values, common_context(program, options.start.plan));
  if (candidates.size() != 1)
    throw Error(ExitCode::usage,
                "a training has one value for each placeholder: give it with --set "
                "NAME=VALUE or --batch N");
  return candidates[0];
}

/// A machine that was named.
Destination chosen_by_name(const Globals& globals, const OffloadArguments& options) {
  if (options.fleet_file.empty())
    throw Error(ExitCode::usage,
                "--to NAME needs the fleet file that knows it: lapcast offload --to "
                "NAME fleet.toml -- PROGRAM");
  const std::vector<std::string>& program = program_of(globals, "offload --to NAME FLEET.toml");
  const Fleet fleet = with_nodes(read_fleet_file(options.fleet_file));
  FleetMachine machine = machine_named(fleet, options.to, options.fleet_file);
  RunContext context = only_candidate(options, machine, fleet.settings, program);
  if (!context.price && !context.offer.empty())
    for (Offer& offer : load_offers(options.ranking.selection.offer_files))
      if (offer.name == context.offer) context.price = std::move(offer);
  return {std::move(machine), std::move(context)};
}

FleetMachine machine_of_winner(const Globals& globals, const OffloadArguments& options,
                               const Run& run) {
  auto machine = FleetLookup(globals.open_existing_store(), options.fleet_file).machine_of(run);
  if (machine) return std::move(*machine);
  throw Error(ExitCode::usage,
              fmt::format("where {} stands is not known: {}; name the fleet file",
                          printable(run.context.machine_type.name), machine.error().text));
}

std::string masked_line(const std::vector<std::string>& program) {
  return fmt::format("{}", fmt::join(masked_program(program), " "));
}

/// What the ranking says.
Destination chosen_by_ranking(const Globals& globals, const OffloadArguments& options) {
  if (!options.settings.empty() || !options.batch.empty())
    throw Error(ExitCode::usage,
                "the settings of BEST are those of the ranking: name a machine with "
                "--to NAME to choose others");
  const Winner winner = winner_of(globals, options.ranking);
  warn_if_program_changed(globals.open_existing_store(), {&winner.run, 1});
  const RunContext& probed = winner.run.context;
  if (was_imported(probed))
    throw Error(
        ExitCode::usage,
        fmt::format("the best is the imported run {}, and nothing that was imported is run; "
                    "to train it, type: {}",
                    probed.id, typed_command("lapcast offload --to NAME FLEET.toml --", probed)));
  if (globals.program_given && globals.program != probed.program)
    throw Error(
        ExitCode::usage,
        fmt::format("the ranking is of another program: {}; leave the program out, choose its "
                    "sweep with --sweep, or a machine with --to NAME",
                    printable(masked_line(probed.program), 300)));
  if (lacks_secrets(probed))
    throw Error(ExitCode::usage, fmt::format("run {}: {}", probed.id, kLacksSecrets));
  Destination chosen{machine_of_winner(globals, options, winner.run), {}};
  RequestedPlan plan = options.start.plan;
  const bool own = plan.epochs > 0 || plan.steps > 0;
  if (plan == RequestedPlan{}) plan = probed.plan;
  if (!own && winner.candidate.epochs > 0)
    plan.epochs = static_cast<std::int64_t>(winner.candidate.epochs);
  chosen.context = common_context(probed.program, plan);
  chosen.context.working_dir = probed.working_dir;
  chosen.context.settings = probed.settings;
  chosen.context.machine_type = chosen.machine.type;
  chosen.context.place = describe(chosen.machine.site.place);
  chosen.context.offer = probed.offer;
  chosen.context.price = winner.offer;
  return chosen;
}

/// "--resume {checkpoint}" -> {"--resume", "{checkpoint}"}: words between blanks.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; (at = text.find_first_not_of(' ', at)) != std::string::npos;) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

std::optional<ResumePlan> resume_plan(const OffloadArguments& options) {
  if (options.resume_flag.empty()) return std::nullopt;
  if (!is_checkpoint_pattern(options.checkpoints))
    throw Error(ExitCode::usage,
                "--checkpoints is a pattern of names in the run folder, such as "
                "'epoch-*.pt'");
  return ResumePlan{words_of(options.resume_flag), options.checkpoints};
}

ProbeRequest request_for(const OffloadArguments& options, const Destination& destination) {
  RunContext context = destination.context;
  context.id = new_id();
  context.kind = RunKind::full;
  context.started_at = utc_now();
  ProbeRequest request = options.start.request(std::move(context));
  request.run_parent.clear();  // in lapcast's own folder there
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
  const RunContext& context = request.context;
  return {"Offloaded",
          {},
          {{"id", "id"},
           {"machine_type", "machine"},
           {"place", "place"},
           {.key = "settings", .header = "settings", .optional = true}},
          {{context.id, context.machine_type.name,
            context.place.empty() ? "this machine" : context.place, settings_text(context)}},
          {fmt::format("lapcast attach {0} shows how it goes on, lapcast fetch {0} brings its "
                       "results",
                       context.id)}};
}

ExitCode offload(const Globals& globals, const OffloadArguments& options) {
  const bool best = options.to == "BEST" || options.to == "best";
  const Destination destination =
      best ? chosen_by_ranking(globals, options) : chosen_by_name(globals, options);
  ProbeRequest request = request_for(options, destination);
  Interrupt interrupt;
  check(request, destination.machine, interrupt);
  Store store = globals.open_store();
  request.store_file = store.file();
  store.save_pending_run(pending_run_of(request));
  ProgressLine line(globals.quiet);
  const auto remote = remote_run(request, interrupt);
  const auto begun = remote->begin([&](const std::string& what) { line.show(what); });
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
      ->add_option("--sweep", options->ranking.selection.sweep,
                   "the sweep that is ranked [the newest]")
      ->type_name("ID");
  command
      ->add_option("--offers", options->ranking.selection.offer_files,
                   "catalog of prices (docs/catalog.md), beside the fleet's")
      ->type_name("FILE.csv")
      ->take_all();
  command->add_flag("--same-epochs", options->ranking.same_epochs,
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

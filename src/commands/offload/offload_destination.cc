#include "commands/offload/offload_destination.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "cli/candidate_options.h"
#include "cli/console.h"
#include "cli/named_machine.h"
#include "commands/offload/offload.h"
#include "core/units.h"
#include "fleet/candidates.h"
#include "fleet/worker_gpus.h"
#include "machine/proc_text.h"
#include "probe/ids_and_time.h"
#include "probe/run_folder.h"
#include "query/input_files.h"
#include "query/queue_limit.h"
#include "query/rank_notes.h"
#include "query/rank_runs.h"
#include "query/rank_tables.h"
#include "query/typed_command.h"
#include "run/secrets.h"

namespace lapcast {
namespace {

Destination chosen_by_name(const Globals& globals, const OffloadArguments& options) {
  if (options.fleet_file.empty())
    throw Error(ExitCode::usage,
                "--to NAME needs the fleet file that knows it: lapcast offload --to NAME "
                "fleet.toml -- PROGRAM");
  const std::vector<std::string>& program = program_of(globals, "offload --to NAME FLEET.toml");
  NamedCandidate named = named_candidate(
      {options.to, options.fleet_file, options.ranking.request.selection.offer_files,
       globals.own_prices},
      values_of(options.batch, {}, options.settings), common_context(program, options.start.plan),
      "a training has one value for each placeholder: give it with --set NAME=VALUE or --batch N");
  return {std::move(named.machine), std::move(named.context)};
}

FleetMachine machine_of_winner(const Globals& globals, const OffloadArguments& options,
                               const Run& run) {
  auto machine = FleetLookup(globals.open_existing_store(), options.fleet_file).machine_of(run);
  if (machine) return std::move(*machine);
  throw Error(ExitCode::usage,
              fmt::format("the place of {} is not known: {}; name the fleet file",
                          printable(run.context.machine_type.name), machine.error().text));
}

Destination chosen_by_ranking(const Globals& globals, const OffloadArguments& options) {
  if (!options.settings.empty() || !options.batch.empty())
    throw Error(ExitCode::usage,
                "the settings of BEST are those of the ranking: name a machine with --to NAME to "
                "choose others");
  const Store store = globals.open_existing_store();
  const Winner winner = winner_of(store, options.ranking.checked(globals));
  warn(winner.warnings);
  warn(program_changes(store, {&winner.run, 1}));
  const RunContext& probed = winner.run.context;
  if (was_imported(probed))
    throw Error(
        ExitCode::usage,
        fmt::format("the best is the imported run {}, and nothing that was imported is run; to "
                    "train it, type: {}",
                    probed.id, typed_command("lapcast offload --to NAME FLEET.toml --", probed)));
  if (globals.program_given && globals.program != probed.program)
    throw Error(ExitCode::usage,
                fmt::format("the ranking is of another program: {}; leave the program out, choose "
                            "its sweep with --sweep, or a machine with --to NAME",
                            printable(masked_line(probed.program), 300)));
  if (lacks_secrets(probed))
    throw Error(ExitCode::usage, fmt::format("run {}: {}", probed.id, kLacksSecrets));
  Destination chosen{machine_of_winner(globals, options, winner.run), {}};
  TrainingPlan plan = options.start.plan;
  const bool own = plan.epochs > 0 || plan.steps > 0;
  if (plan == TrainingPlan{}) plan = probed.plan;
  if (!own && winner.choice.candidate->epochs > 0)
    plan.epochs = static_cast<std::int64_t>(winner.choice.candidate->epochs);
  chosen.context = common_context(probed.program, plan);
  chosen.context.working_dir = probed.working_dir;
  chosen.context.settings = probed.settings;
  chosen.context.machine_type = chosen.machine.type;
  chosen.context.place = describe(chosen.machine.place_setup.place);
  chosen.context.offer = probed.offer;
  chosen.context.price = *winner.choice.offer;
  if (winner.sweep) chosen.sweep = sweep_line(*winner.sweep, probed.program, winner.candidates);
  if (!own) chosen.quote = winner.choice.quote;
  return chosen;
}

}  // namespace

std::vector<Destination> session_machines(const Globals& globals, const OffloadArguments& options) {
  if (options.resume_flag.empty())
    throw Error(ExitCode::usage,
                "--sessions needs --resume-flag: the arguments with which the next session goes "
                "on, such as --resume-flag '--resume {checkpoint}'");
  std::vector<std::string> names = options.sessions;
  if (names == std::vector<std::string>{"all"} && !options.fleet_file.empty()) {
    names.clear();
    for (const FleetMachine& machine : with_nodes(read_fleet_file(options.fleet_file)).machines)
      names.push_back(machine.type.name);
  }
  std::vector<Destination> machines;
  for (const std::string& name : names) {
    OffloadArguments one = options;
    one.to = name;
    machines.push_back(chosen_by_name(globals, one));
    if (machines.back().machine.rent)
      throw Error(ExitCode::usage,
                  fmt::format("'{}' has to be rented: a training on rented machines goes on on "
                              "another one by itself, with --to {}",
                              printable(name), printable(name)));
  }
  return machines;
}

std::optional<ResumePlan> resume_plan(const OffloadArguments& options) {
  if (options.resume_flag.empty()) return std::nullopt;
  if (!is_checkpoint_pattern(options.checkpoints))
    throw Error(ExitCode::usage,
                "--checkpoints is a pattern of names in the run folder, such as 'epoch-*.pt'");
  ResumePlan plan{{}, options.checkpoints};
  for (const std::string_view word : split(options.resume_flag, ' '))
    if (!word.empty()) plan.arguments.emplace_back(word);
  return plan;
}

ProbeRequest training_request(const OffloadArguments& options, const Destination& destination) {
  RunContext context = destination.context;
  context.id = new_id();
  context.kind = RunKind::full;
  context.started_at = utc_now();
  ProbeRequest request = options.start.request(std::move(context));
  request.run_parent.clear();  // the run folder is in lapcast's own folder on that machine
  request.keep_run_folder = true;
  request.watch = WatchRequest{options.limits.limits(request.context.price)};
  request.resume = resume_plan(options);
  request.place_setup = place_setup_for(destination.machine, request.context.settings);
  return request;
}

std::optional<std::string> ask_queue(ProbeRequest& request, const Store& store,
                                     const OffloadArguments& options) {
  Place& place = request.place_setup.place;
  if (!is_queued(place)) {
    if (!options.time_limit) return std::nullopt;
    throw Error(ExitCode::usage,
                "--time-limit is what a queue is asked for; --max-time limits a training anywhere");
  }
  QueuedTraining training{.asked = options.time_limit,
                          .forecast = forecast_of_training(store, request.context),
                          .goes_on = request.resume.has_value()};
  if (options.limits.on_exceed == "stop") training.max_time = options.limits.max_time;
  // The session has to end before its job, for its files to come home.
  if (options.session_time)
    training.max_time =
        std::min(training.max_time.value_or(*options.session_time), *options.session_time) +
        kBeforeAndAfterTraining;
  const auto partition = partition_limit(place);
  if (partition) training.partition = *partition;
  const auto limit = queue_limit(training);
  if (!limit) throw Error(ExitCode::usage, limit.error().text);
  if (!limit->warning.empty() && options.sessions.empty()) warn({limit->warning});
  ask_for_time(place, limit->ns);
  return "asks the queue for " + limit->text;
}

Destination destination_of(const Globals& globals, const OffloadArguments& options) {
  if (options.to == "BEST" || options.to == "best") return chosen_by_ranking(globals, options);
  return chosen_by_name(globals, options);
}

}  // namespace lapcast

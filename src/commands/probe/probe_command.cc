#include <fmt/format.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "campaign/campaign.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/displays.h"
#include "cli/named_machine.h"
#include "cli/run_options.h"
#include "cli/watch_view.h"
#include "commands/probe/probe_report.h"
#include "commands/probe/tune_options.h"
#include "core/units.h"
#include "fleet/power_setting.h"
#include "posix/files.h"
#include "query/forecast_run.h"
#include "query/typed_command.h"
#include "report/run_report.h"
#include "report/sweep_report.h"
#include "run/command_arguments.h"
#include "run/program_folder.h"
#include "run/secrets.h"

namespace lapcast {
namespace {

constexpr const char* kProbeFooter = R"(
Examples:
  lapcast probe --epochs 12 -- ./train --data mnist --batch 128
  lapcast probe --epochs 90 --samples 1281167 --val-samples 50000 --price 3.06 -- ./train
  lapcast probe --power-limits 200,250,300 --epochs 12 -- ./train
  lapcast probe --tune --env-file tuned.env -- python3 train.py
  lapcast probe --tune --to gpu-box fleet.toml -- python3 train.py
  lapcast probe --machine half-a-core --cpus 0 --cpu-quota 50% -- ./train --out {run_dir}

The program runs until its steady lap is known to --precision, at least 10 steady laps, or until
--budget or --max-laps; then it gets TERM, and KILL after --grace. Python programs that train with
PyTorch, Keras, Lightning or Hugging Face are observed as they are, by a hook on their PYTHONPATH;
others report their laps: see lapcast help lap-log. {run_dir} (and LAPCAST_RUN_DIR) is an empty folder
of this run's own.

--tune searches the environment in which the program trains fastest (lapcast help tune.md), here or on a
machine of a fleet file: an ssh host, a Slurm entry, or one that is rented within --search-budget.)";

struct ProbeArguments {
  ProbeOptions probe;
  MachineOptions machine;
  std::string power_limits;
  bool methods = false;
  TuneOptions tune;
};

/// Runs programs as a campaign: a supervisor process ends each one even if this process is killed.
/// Returns one run for each request that was begun, in order of their ends.
std::vector<Run> run_all(std::vector<ProbeRequest> requests, Store& store,
                         CampaignListener listener) {
  Interrupt interrupt;
  remove_stale_run_folders_and_cgroups(requests.front().run_parent);
  WorkerExecutor executor(interrupt);
  std::vector<Run> runs;
  listener.on_run = [&](const Run& ended) { runs.push_back(ended); };
  run_campaign(std::move(requests), {executor, store, interrupt, std::move(listener)});
  return runs;
}

Run run_alone(const ProbeRequest& request, Store& store, const CampaignListener& listener) {
  std::vector<Run> runs = run_all({request}, store, listener);
  return runs.empty() ? Run{} : std::move(runs.front());
}

/// Suggests the next command: a sweep over batch sizes if the program's command has one, else the
/// same on other machines. Leaves out the program if it contains a masked secret.
std::string next_step(const RunContext& context) {
  const bool is_whole = !lacks_secrets(masked(context));
  RunContext swept = context;
  swept.settings.clear();
  if (const auto batch = batch_in_command(context.program); batch && is_whole) {
    const std::int64_t samples = batch->samples;
    const std::string smaller = samples % 2 == 0 ? fmt::format("{},", samples / 2) : "";
    swept.program = batch->program;
    return typed_command(
        fmt::format("next: lapcast sweep --batch {}{},{} --", smaller, samples, 2 * samples),
        swept);
  }
  constexpr const char* kSweep =
      "next: lapcast fleet init HOST > fleet.toml; lapcast sweep fleet.toml --";
  return is_whole ? typed_command(kSweep, swept) : std::string(kSweep) + " PROGRAM";
}

/// Says that the script given to an interpreter does not exist, and suggests another one; nullopt
/// if it exists, or if the program is not an interpreter with a script.
std::optional<std::string> absent_script(const std::vector<std::string>& program) {
  if (program.size() < 2) return std::nullopt;
  const std::string& script = program[1];
  const bool is_script = script.ends_with(".py") || script.ends_with(".sh");
  std::error_code error;
  if (!is_script || !is_interpreter(program[0]) || script.find('{') != script.npos ||
      std::filesystem::exists(script, error))
    return std::nullopt;
  return fmt::format("{} does not exist; {}", printable(script),
                     did_you_mean_file(script, "is it in another folder?"));
}

/// Probes a program with each limit of the GPUs' power.
ExitCode probe_limits(const Globals& globals, const ProbeArguments& options,
                      const ProbeRequest& request) {
  std::vector<ProbeRequest> requests;
  for (const std::string& limit :
       parse_power_limits(options.power_limits, request.context.program)) {
    requests.push_back(request);
    requests.back().context.settings[kPowerSetting] = limit;
  }
  Store store = globals.open_store();
  CampaignDisplay display(globals.quiet);
  display.start({"probing", requests.size()});
  const std::vector<Run> runs = run_all(std::move(requests), store, display.campaign());
  display.end();
  RunForecaster forecaster(store);
  std::vector<SweepRow> rows;
  bool any_failed = runs.empty(), interrupted = runs.empty(), any_forecast = false;
  for (const Run& run : runs) {
    rows.push_back({&run, forecaster.forecast(run)});
    any_forecast = any_forecast || rows.back().assessment.forecast.has_value();
    any_failed = any_failed || !has_laps(run.outcome);
    interrupted = interrupted || std::holds_alternative<outcome::Interrupted>(run.outcome);
  }
  std::vector<Table> tables{sweep_table(rows)};
  if (globals.format == "table" && !interrupted)
    tables.push_back({.before = {next_after_probes(any_forecast, "lapcast rank --all --energy")}});
  print(globals, tables);
  if (interrupted) return ExitCode::interrupted;
  return any_failed ? ExitCode::some_failed : ExitCode::ok;
}

/// Tunes the program on the machine of --to. Throws Error (usage) for options that the fleet file
/// stands for.
ExitCode tune_on_named(const Globals& globals, const ProbeArguments& options) {
  const TuneOptions& tuning = options.tune;
  if (!tuning.is_wanted())
    throw Error(ExitCode::usage,
                "--to is for --tune; lapcast sweep FLEET.toml probes on the machines of a file");
  if (tuning.to.size() != 2)
    throw Error(ExitCode::usage,
                "--tune on another machine needs its name and the fleet file that knows it: "
                "lapcast probe --tune --to NAME FLEET.toml -- PROGRAM");
  if (options.machine.any_given())
    throw Error(ExitCode::usage,
                "what is used of the machine of --to stands in the fleet file: leave out "
                "--machine, --price, --offer, --cpus and --cpu-quota");
  NamedCandidate named = named_candidate(
      {tuning.machine(), tuning.fleet_file(), {}, globals.own_prices}, {},
      common_context(program_of(globals, "probe --tune --to NAME FLEET.toml"), options.probe.plan),
      "a tuning has one value for each placeholder: write it in place of the placeholder");
  if (is_this_machine(named.machine.place_setup.place))
    if (const auto reason = why_cannot_run(named.machine, named.context.machine))
      throw Error(ExitCode::usage, reason->text);
  named.context.id = new_id();
  return tune(globals, tuning, options.probe.request(std::move(named.context)), &named.machine);
}

ExitCode probe(const Globals& globals, const ProbeArguments& options) {
  if (options.tune.is_wanted() && (options.methods || options.probe.probe_epochs > 0))
    throw Error(ExitCode::usage, "--tune stands without --methods and --probe-epochs");
  if (!options.tune.to.empty()) return tune_on_named(globals, options);
  const ProbeRequest request = options.probe.request(context_here(
      program_of(globals, "probe"), options.probe.plan, options.machine, globals.own_prices));
  if (!options.power_limits.empty()) return probe_limits(globals, options, request);
  if (options.tune.is_wanted()) return tune(globals, options.tune, request);
  Store store = globals.open_store();
  CampaignDisplay display(globals.quiet);
  display.start({"probing", 1});
  const Run run = run_alone(request, store, display.campaign());
  display.end();
  tell_trouble(run);
  tell_of_others(run);
  RunForecaster forecaster(store);
  const Assessment assessment = forecaster.forecast(run);
  if (globals.format == "table" && !options.methods) {
    Table answer =
        probe_answer(masked(run), assessment, globals.style().ascii,
                     [&](const TrainingPlan& plan) { return forecaster.forecast(run, plan); });
    if (assessment.forecast)
      answer.notes.push_back(next_step(run.context));
    else if (auto absent = absent_script(masked(run.context).program);
             absent && !has_laps(run.outcome))
      answer.before.push_back(*std::move(absent));
    print(globals, {std::move(answer)});
  } else {
    print(globals,
          run_tables(masked(run), assessment, {.methods = options.methods, .undisturbed = [&] {
                                                 return forecaster.undisturbed(run);
                                               }}));
  }
  if (!has_laps(run.outcome)) say("{}", printable(describe(run.outcome), 1000));
  if (std::holds_alternative<outcome::Interrupted>(run.outcome)) return ExitCode::interrupted;
  return has_laps(run.outcome) ? ExitCode::ok : ExitCode::program_failed;
}

constexpr const char* kWatchFooter = R"(
Examples:
  lapcast watch -- python3 train.py --epochs 12
  lapcast watch --price 3.06 --max-cost 20 -- python3 train.py
  lapcast watch --max-time 6h --on-exceed warn --epochs 90 -- ./train
  lapcast watch --checkpoint-signal USR1 --checkpoint-every 10m -- python3 train.py

The program runs to its end, its output goes on where it went. A live line on stderr tells epoch,
laps per second, time left and money, with 95 % intervals; where stderr is not a terminal a plain
line does every so often. It is stopped (TERM, KILL after --grace) when a limit is reached, or as
soon as the forecast's lower bound is above it; exit code 7. What was forecast when is kept:
`lapcast show` tells afterwards how far it was off. lapcast help watch.md has the details.)";

struct WatchArguments {
  ProbeOptions start;
  MachineOptions machine;
  WatchLimitOptions limits;
};

ExitCode watch(const Globals& globals, const WatchArguments& options) {
  RunContext context = context_here(program_of(globals, "watch"), options.start.plan,
                                    options.machine, globals.own_prices);
  context.kind = RunKind::full;
  ProbeRequest request = options.start.request(std::move(context));
  request.watch =
      WatchRequest{options.limits.limits(request.context.price), options.limits.checkpoints()};
  Store store = globals.open_store();
  std::signal(SIGQUIT, SIG_IGN);  // that key is meant for the program
  WatchView view(globals.quiet, request.context.price);
  request.watch->view = &view;
  request.watch->past_errors = RunForecaster(store).past_errors_of(request.context);
  const Run run = run_alone(request, store, {});
  if (!globals.quiet || exit_code_of(run) != ExitCode::ok)
    say_answer(printable(watch_summary(run), 1200), globals.plain);
  return exit_code_of(run);
}

}  // namespace

static void add_probe(CLI::App& app, CommandLine& line) {
  const auto [command, options] =
      line.add(app, "probe", "run a program for a few laps and forecast its whole training",
               kProbeFooter, probe, Takes::program);
  options.probe.add_plan_to(command);
  options.probe.add_limits_to(command);
  options.probe.add_probe_epochs_to(command, "--whole");
  options.machine.add_to(command);
  add_options(command, {{"--methods", &options.methods, "show the papers' forecasts beside ours"},
                        {"--power-limits W,W", &options.power_limits,
                         "probe with each limit of the GPUs in watts, as setting power=250W; needs "
                         "root",
                         excludes("--methods")}});
  options.tune.add_to(command);
}

extern const NamedCommand kProbeCommand{"probe", add_probe};

static void add_watch(CLI::App& app, CommandLine& line) {
  const auto [command, options] = line.add(
      app, "watch", "run a program to its end: progress, forecast, limits of time and money",
      kWatchFooter, watch, Takes::program);
  options.start.add_plan_to(command);
  options.limits.add_to(command);
  options.machine.add_to(command);
  options.start.add_start_to(command);
}

extern const NamedCommand kWatchCommand{"watch", add_watch};

}  // namespace lapcast

#include "cli/run_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

#include "cli/console.h"
#include "core/nearest_name.h"
#include "core/units.h"
#include "fleet/fleet_file.h"
#include "lap/output_line.h"
#include "posix/spawn.h"
#include "price/offer.h"
#include "price/quote.h"
#include "probe/ids_and_time.h"
#include "probe/run_folder.h"

namespace lapcast {
namespace {

constexpr const char* kTheTraining = "The training";

Offer offer_named(const std::string& name, const std::string& own_prices) {
  const std::vector<Offer> offers = load_offers({}, own_prices);
  if (const Offer* offer = offer_of_name(offers, name)) return *offer;
  std::vector<std::string_view> names;
  for (const Offer& offer : offers) names.push_back(offer.name);
  throw Error(ExitCode::usage,
              fmt::format("--offer: no catalog has an offer '{}'; {}", printable(name),
                          did_you_mean(name, names, "`lapcast catalog` lists them")));
}

std::string lap_line(const std::string& text) {
  if (const auto pattern = LinePattern::of(text); !pattern)
    throw Error(ExitCode::usage, pattern.error().text);
  return text;
}

Seconds time_between_checkpoints(const std::string& text) {
  const Seconds every = parse_duration(text);
  if (every.count() >= 1 && every.count() <= 366 * 86400) return every;
  throw Error(ExitCode::usage, "must be from 1s to 366d, such as 10m");
}

}  // namespace

Money parse_price(const std::string& text) {
  const Money price = Money::parse(text);
  if (price < Money())
    throw Error(ExitCode::usage, "must not be negative: USD per hour, such as 3.06");
  return price;
}

Offer offer_of_price(Money price, const std::string& machine) {
  Offer offer;
  offer.name = machine;
  offer.machine_type = machine;
  offer.price = {price};
  offer.as_of = utc_now().substr(0, 10);
  offer.source = "--price";
  if (const auto reason = why_not_valid(offer, today()))
    throw Error(ExitCode::usage, "--price: " + reason->text);
  return offer;
}

void ProbeOptions::add_plan_to(CLI::App& app) {
  OptionDetails instead_of_epochs = kCount;
  instead_of_epochs.excludes = "--epochs";
  add_options(
      app,
      {{"--epochs N", &plan.epochs, "epochs to forecast [what the program reports]", kCount},
       {"--steps N", &plan.steps, "iterations to forecast, instead of epochs", instead_of_epochs}},
      kTheTraining);
  add_samples_to(app, plan);
}

void ProbeOptions::add_limits_to(CLI::App& app) {
  add_options(app,
              {{"--precision SHARE", parsed(precision, above_zero(parse_share, "2%"), "2%"),
                "stop once the steady lap is known this well (95 % interval, half its width); 6% "
                "for laps that a GPU runs apart from the program"},
               {"--max-laps N", &max_laps, "stop after so many laps", kCount},
               {"--budget TIME", parsed(budget, above_zero(parse_duration, "60s"), "60s"),
                "stop a probe this long after its first lap; after its start with --whole"},
               {"--startup-limit TIME", parsed(startup, above_zero(parse_duration, "10m")),
                "stop a program that has no lap after this time [10 times --budget]"}},
              "How long to measure");
  add_start_to(app);
}

void ProbeOptions::add_probe_epochs_to(CLI::App& app, const char* excluded) {
  OptionDetails details = kCount;
  details.excludes = excluded;
  add_options(app,
              {{"--probe-epochs N", &probe_epochs,
                "measure so many whole epochs instead of --precision, with no --budget unless you "
                "give one; 2 for lapcast rank --method epoch",
                details}},
              "How long to measure");
}

void ProbeOptions::add_start_to(CLI::App& app) {
  add_end_to(app);
  add_lap_source_to(app);
  add_options(app,
              {{"--no-hook", &no_hook, "leave Python programs alone: they report laps themselves"}},
              kAdvanced);
  add_no_wait_to(app);
}

void ProbeOptions::add_no_wait_to(CLI::App& app) {
  add_options(
      app, {{"--no-wait", &no_wait, "measure even while another lapcast measures on these CPUs"}},
      kAdvanced);
}

void ProbeOptions::add_lap_source_to(CLI::App& app) {
  add_options(app,
              {{"--lap-line REGEX", parsed(lap_source.line, lap_line),
                "laps are from such lines of its output: 'it (?P<step>\\d+)/(?P<steps>\\d+)'; see "
                "lapcast help python [usual forms, if it reports none]"},
               {"--whole", &lap_source.whole, "the whole run is one lap", excludes("--lap-line")}},
              "Programs without a hook");
}

void ProbeOptions::add_end_to(CLI::App& app) {
  add_options(
      app,
      {{"--grace TIME", parsed(grace, parse_duration, "5s"),
        "time between asking a program to end (TERM) and killing it"},
       {"--run-parent DIR", &run_parent, "where the run folders are made [$TMPDIR or /tmp]"},
       {"--keep-run-folder", &keep_run_folder, "do not remove the run folders afterwards"}},
      kAdvanced);
}

ProbeLimits ProbeOptions::limits() const {
  ProbeLimits limits;
  limits.precision = precision.value_or(limits.precision);
  limits.device_precision = precision;
  limits.max_laps = max_laps;
  limits.budget = budget.value_or(limits.budget);
  if (probe_epochs > 0) limits.epochs = WholeEpochs{probe_epochs, budget.has_value()};
  limits.startup = startup;
  limits.grace = grace;
  check_run_parent(run_parent);
  return limits;
}

ProbeRequest ProbeOptions::request(RunContext context) const {
  ProbeRequest request{std::move(context), limits(), run_parent, keep_run_folder, {}, !no_hook};
  request.no_wait = no_wait;
  if (lap_source.whole || !lap_source.line.empty()) request.lap_source = lap_source;
  if (lap_source.whole && !budget) request.limits.to_the_end = true;
  return request;
}

void add_samples_to(CLI::App& app, TrainingPlan& plan) {
  add_options(app,
              {{"--samples N", &plan.training_samples, "training samples of one epoch", kCount},
               {"--val-samples N", &plan.validation_samples, "samples of one validation", kCount}},
              kTheTraining);
  add_options(app,
              {{"--validate-every N", &plan.validate_every,
                "epochs from one validation to the next; laps, where the program reports no epochs",
                kCount},
               {"--validate-from N", &plan.validate_from,
                "epoch (or lap) after which the first validation comes", kCount}},
              kAdvanced);
}

void add_alone_to(CLI::App& app, bool& alone) {
  add_options(
      app,
      {{"--alone", &alone, "from the run's own laps only, not corrected by earlier finished runs"}},
      kAdvanced);
}

const MachineDescription& this_machine() {
  static const MachineDescription machine = describe_this_machine();
  return machine;
}

RunContext common_context(const std::vector<std::string>& program, const TrainingPlan& plan) {
  RunContext context;
  context.program = program;
  context.plan = plan;
  context.working_dir = std::filesystem::current_path().string();
  context.lapcast_version = LAPCAST_VERSION;
  context.machine = this_machine();
  return context;
}

void MachineOptions::add_to(CLI::App& app) {
  add_options(
      app,
      {{"--machine NAME", parsed(machine, std::identity(), kThisMachine),
        "name for what it runs on"},
       {"--price USD", parsed(price, parse_price), "USD per hour of this machine"},
       {"--offer NAME", &offer, "offer of a catalog (lapcast help catalog.md) that this machine is",
        excludes("--price")},
       {"--cpus LIST", parsed(cpus, parse_cpu_list), "CPUs it may use, such as 0-3,8"},
       {"--cpu-quota PERCENT", parsed(cpu_quota, parse_cpu_quota),
        "CPU time per time: 50% is half a CPU"}},
      "Machine and price");
}

MachineType MachineOptions::machine_type() const {
  return {.name = machine.value_or(kThisMachine), .cpus = cpus, .cpu_quota = cpu_quota};
}

std::optional<Offer> MachineOptions::price_per_hour(const std::string& own_prices) const {
  if (price) return offer_of_price(*price, machine_type().name);
  if (!offer.empty()) return offer_named(offer, own_prices);
  return std::nullopt;
}

void use_this_machine(RunContext& context, const MachineOptions& options,
                      const std::string& own_prices) {
  context.machine_type = options.machine_type();
  context.price = options.price_per_hour(own_prices);
  if (const auto reason = why_cannot_run(context.machine_type, context.machine))
    throw Error(ExitCode::usage, reason->text);
}

RunContext context_here(const std::vector<std::string>& program, const TrainingPlan& plan,
                        const MachineOptions& options, const std::string& own_prices) {
  RunContext context = common_context(program, plan);
  if (const auto found = find_program(program[0]); !found)
    throw Error(ExitCode::program_failed, found.error().text);
  context.id = new_id();
  use_this_machine(context, options, own_prices);
  return context;
}

void WatchLimitOptions::add_to(CLI::App& app) {
  add_options(app,
              {{"--max-cost USD", parsed(max_cost, not_below_zero(Money::parse, "20")),
                "most that the whole run may cost, in USD"},
               {"--max-time TIME", parsed(max_time, above_zero(parse_duration, "6h")),
                "longest that the whole run may take"},
               {"--on-exceed stop|warn", &on_exceed, "at a limit: stop the program, or warn",
                one_of("stop|warn")},
               {"--checkpoint-signal NAME", &checkpoint_signal,
                "ask the program to save before it is asked to end: USR1, USR2 or HUP",
                one_of("USR1|USR2|HUP")},
               {"--checkpoint-every TIME", parsed(checkpoint_every, time_between_checkpoints),
                "ask it so often, too, such as 10m; needs --checkpoint-signal"}},
              "Limits");
}

std::optional<CheckpointSignal> WatchLimitOptions::checkpoints() const {
  static const std::map<std::string, int> kSignals{
      {"USR1", SIGUSR1}, {"USR2", SIGUSR2}, {"HUP", SIGHUP}};
  if (checkpoint_signal.empty()) {
    if (!checkpoint_every) return std::nullopt;
    throw Error(ExitCode::usage,
                "--checkpoint-every needs --checkpoint-signal, which the program saves at");
  }
  return CheckpointSignal{kSignals.at(checkpoint_signal), checkpoint_every.value_or(Seconds{0})};
}

WatchLimits WatchLimitOptions::limits(const std::optional<Offer>& price) const {
  const WatchLimits result{max_time, max_cost, on_exceed == "stop"};
  if (!max_cost) return result;
  if (!price) throw Error(ExitCode::usage, "--max-cost needs a price: add --price or --offer");
  if (affordable_time(*price, *max_cost).value_or(Seconds{0}).count() <= 0)
    throw Error(ExitCode::usage,
                fmt::format("--max-cost: {} USD is less than the shortest run is billed for",
                            exact_decimal(*max_cost)));
  return result;
}

void add_selection_to(CLI::App& app, RunSelection& selection) {
  add_options(app, {{"--sweep ID", &selection.sweep, kSweepHelp},
                    {"--all", &selection.all, "all runs in the store, of any sweep or none",
                     excludes("--sweep")},
                    {"--offers FILE.csv", &selection.offer_files,
                     "catalog of prices (lapcast help catalog.md), beside the fleet's"},
                    {"--no-catalog", &selection.no_catalog,
                     "leave machines without a price, although a catalog that came with lapcast "
                     "has their type"}});
}

std::vector<Offer> load_offers(const std::vector<std::string>& files,
                               const std::string& own_prices) {
  CatalogOffers catalogs = read_catalogs(files, own_prices);
  warn(catalogs.warnings);
  return std::move(catalogs.offers);
}

}  // namespace lapcast

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "campaign/rental_bill.h"
#include "campaign/sweep.h"
#include "cli/candidate_options.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/displays.h"
#include "cli/page_file.h"
#include "cli/race_options.h"
#include "cli/rent_options.h"
#include "cli/run_options.h"
#include "core/units.h"
#include "fleet/fleet_machine.h"
#include "fleet/worker_gpus.h"
#include "lease/lease_clock.h"
#include "lease/ledger.h"
#include "query/rank_runs.h"
#include "query/rank_tables.h"
#include "query/worker_forecast.h"
#include "query/worker_tables.h"
#include "report/batch_report.h"
#include "report/learned_epochs_report.h"
#include "report/ranking_report.h"
#include "report/rental_report.h"
#include "report/sweep_report.h"

namespace lapcast {
namespace {

constexpr const char* kSweepFooter = R"(
Examples:
  lapcast sweep --batch 128,512 --price 1.20 -- ./train --batch {batch}
  lapcast sweep --batch auto -- ./train --batch {batch}        the largest batch that fits
  lapcast sweep fleet.toml -- ./train --data mnist
  lapcast sweep fleet.toml --batch 128,512 -- ./train --batch {batch}
  lapcast sweep fleet.toml --set batch=64,128 --set lr=0.1,0.01 -- ./train -b {batch} --lr {lr}
  lapcast sweep fleet.toml --batch 128,512 --find-epochs -- ./train --epochs 100 --batch {batch}
  lapcast sweep --find-epochs --repeats 5 -- ./train --epochs 100 --seed {seed}
  lapcast sweep --workers 1,2,4 -- torchrun --nproc-per-node {workers} train.py
  lapcast sweep --power-limits 200,250,300 -- ./train
  lapcast sweep fleet.toml --race -- ./train
  lapcast sweep fleet.toml --race --by cost --search-budget 2USD -- ./train
  lapcast sweep rent.toml --search-budget 2USD -- ./train      rents the machines of the file

Every machine type of the fleet file (lapcast help fleet-file) is probed with every combination of the
placeholders, in random order, types that share CPUs one after another. After Ctrl-C, a crash or a
power cut the same command goes on where it was; where the program's own files changed it measures
anew, and names them. --find-epochs first trains each combination once,
on the cheapest machine type, until --metric has not improved for --patience epochs, and keeps the
number of epochs and the accuracy: then `lapcast rank` compares batch sizes at their own numbers.
With --repeats 5 it trains each five times, with the numbers 1 to 5 for {seed} where the program has
it; the mean of their numbers of epochs counts, and its spread is shown.

--batch auto finds on each machine the largest batch that fits, of 1, 2, 3, 4, 6, 8, 12, 16, 24 ..., led
by the forecast of memory, and says which of the tried ones is fastest and cheapest for the same samples. A
program gets at most 95 % of the memory that is free, and is ended before the system would swap or kill;
--allow-oom lets it take all (lapcast help memory.md).

--race spends less: it suspends each candidate after its first laps, and stops
those that can no longer be the cheapest, the fastest or between them, each with the reason. It says
what it cost, what plain probes would have cost, and the chance that a pick is wrong. Batch sizes
race apart, unless --find-epochs was used or --same-epochs is given.)";

struct SweepArguments {
  SweepRequest request;  // options write into it directly
  CandidateOptions candidates;
  ProbeOptions probe;
  bool find_epochs = false;
  EpochSearch epochs;
  RaceOptions race;
  RentOptions rent;
};

SweepRequest request_of(const Globals& globals, const SweepArguments& options) {
  SweepRequest request = options.request;
  options.candidates.take_into(request, globals, "sweep");
  request.typed = typed_line(globals);
  request.probe =
      options.probe.request(common_context(program_of(globals, "sweep"), options.probe.plan));
  if (options.find_epochs) request.find_epochs = options.epochs;
  if (options.race.race) request.race = options.race.order();
  return request;
}

std::vector<SweepRow> probes_of(std::vector<SweepRow> rows) {
  std::erase_if(rows, [](const SweepRow& row) { return row.run->context.kind != RunKind::probe; });
  return rows;
}

std::vector<Table> tables_of(const SweepPlan& plan, const SweepResult& result) {
  if (!result.race) {
    std::vector<SweepRow> rows;
    for (std::size_t i = 0; i < result.runs.size(); ++i)
      rows.push_back({&result.runs[i], result.assessments[i]});
    std::vector<Table> tables;
    if (plan.finds_batch) tables.push_back(batch_table(probes_of(rows)));
    tables.push_back(sweep_table(rows));
    return tables;
  }
  const RaceFindings& found = *result.race;
  auto tables = race_tables(found.race.rows, found.assessments, found.picks, found.bill,
                            plan.request.race->confidence);
  if (found.race.budget_spent)
    tables.front().notes.push_back(
        "the search budget is spent; the same command with a larger one goes on");
  for (const auto& [name, reason] : plan.impossible)
    tables.front().notes.push_back(fmt::format("{} cannot run: {}", printable(name), reason.text));
  return tables;
}

/// Returns the ranking of a sweep of plain probes as `rank` makes it; nullopt if no probe can be
/// ranked.
std::optional<RankResult> ranking_of(const Store& store, const SweepPlan& plan,
                                     const SweepResult& result) {
  const auto is_ranked = [](const Run& run) {
    return run.context.kind == RunKind::probe &&
           !std::holds_alternative<outcome::Interrupted>(run.outcome);
  };
  if (std::ranges::none_of(result.runs, is_ranked)) return std::nullopt;
  return rank_runs(store, {.selection = {.sweep = result.sweep.id,
                                         .offer_files = plan.request.offer_files,
                                         .own_prices = plan.request.own_prices}});
}

/// Adds the answer of a ranking to that of `table`; of batch sizes that were searched only where it
/// is known how many epochs each needs.
void add_answer(Table& table, const SweepPlan& plan, const Ranking& ranking) {
  if (plan.finds_batch && !plan.request.find_epochs) return;
  if (plan.finds_batch) table.answer.push_back("with the epochs that each batch needs:");
  std::ranges::move(ranking_answer(ranking), std::back_inserter(table.answer));
}

/// Forecasts the training on a machine with the numbers of workers that its runs have.
Result<WorkerForecast> forecast_on(const FleetMachine& machine, std::span<const Run> runs,
                                   std::span<const Run> trained, RunForecaster& forecaster) {
  const RunContext& first = runs.front().context;
  WorkerQuestion question{.plan = first.plan, .machine = &machine};
  for (const Run& run : runs) question.workers.push_back(*stated_workers(run.context.settings));
  std::ranges::sort(question.workers);
  question.learned = learned_needs(first, trained);
  if (!question.learned.empty()) question.plan = {};  // that of each run, but for the epochs
  return forecast_workers(runs, question, forecaster, {});
}

/// Returns the probes of a sweep by machine type, where nothing but the machine and the number of
/// workers differs between the candidates; else nothing.
std::map<std::string, std::vector<Run>> runs_by_machine(const SweepPlan& plan,
                                                        const SweepResult& result) {
  std::set<std::pair<std::string, int>> seen;
  std::map<std::string, std::vector<Run>> runs;
  for (const Run& run : result.runs) {
    if (run.context.kind != RunKind::probe) continue;
    const std::string& machine = run.context.machine_type.name;
    const auto stated = stated_workers(run.context.settings);
    if (!stated || !seen.emplace(machine, *stated).second) return {};
    if (why_impossible(plan, run.context) == nullptr) runs[machine].push_back(run);
  }
  return runs;
}

/// Returns what the measured numbers of workers bring: of an only machine all of them, of several
/// those that pay off on each; nothing without a plan to forecast.
std::vector<Table> worker_tables_of(const Store& store, const SweepArguments& options,
                                    const SweepPlan& plan, const SweepResult& result) {
  if (options.candidates.workers.empty() && plan.request.values.contains(kWorkersSetting))
    return {};
  std::vector<Run> trained;
  if (plan.request.find_epochs)
    trained = store.runs({.sweep = result.sweep.id, .kind = RunKind::find_epochs, .own = true});
  RunForecaster forecaster(store);
  std::vector<WorkersOnMachine> machines;
  std::vector<std::string> left_out;
  for (const auto& [name, runs] : runs_by_machine(plan, result)) {
    auto found = forecast_on(*machine_named(plan.fleet, name), runs, trained, forecaster);
    if (found && plan.fleet.machines.size() == 1) {
      WorkerForecasts only;
      only.emplace(name, *std::move(found));
      return worker_tables(only);
    }
    if (found)
      machines.push_back(workers_on(name, *found));
    else
      left_out.push_back(fmt::format("{}: {}", printable(name), found.error().text));
  }
  if (machines.empty()) return {};
  std::vector<Table> tables{workers_by_machine_table(machines)};
  tables.front().warnings = std::move(left_out);
  return tables;
}

ExitCode sweep(const Globals& globals, const SweepArguments& options) {
  const SweepPlan plan = plan_sweep(request_of(globals, options));
  warn(plan.warnings);
  CampaignDisplay display(globals.quiet);
  const SweepRequest& request = plan.request;
  const auto supply =
      supply_of(read_rent_plan(plan.fleet, request.offer_files, request.own_prices), options.rent,
                options.race.search_budget, options.race.race, request.fleet_file, display);
  Store store = globals.open_store();
  Interrupt interrupt;
  WorkerExecutor executor(interrupt);
  const SweepResult result = run_sweep(plan, {.store = store,
                                              .executor = executor,
                                              .interrupt = interrupt,
                                              .listener = display,
                                              .supply = supply.get()});
  std::vector<Table> tables = tables_of(plan, result);
  if (supply)
    tables.push_back(rental_table(rental_bill(
        supply->leases(), store.runs({.sweep = result.sweep.id, .own = true}), lease_now_ns())));
  tables.push_back(
      sweep_record(result.sweep, plan.request.probe.context.program, plan.candidates.size()));
  bool is_ranked = false;
  if (const auto ranked = ranking_of(store, plan, result)) {
    const Ranking& ranking = ranked->rankings.front().ranking;
    is_ranked = !ranking.chosen.empty();
    if (!result.interrupted) add_answer(tables.front(), plan, ranking);
    if (ranked->mixes_batch_sizes) tables.front().notes.push_back(note_on_batch_sizes());
    if (auto learned = learned_epochs_table(ranking)) tables.push_back(*std::move(learned));
    tables.push_back(best_table(ranking));
  }
  if (!result.interrupted)
    std::ranges::move(worker_tables_of(store, options, plan, result), std::back_inserter(tables));
  if (globals.format == "table" && !result.interrupted && !result.race)
    tables.push_back({.before = {next_after_probes(is_ranked, "lapcast rank")}});
  print(globals, tables);
  if (result.interrupted) return tell_interrupted(options.request.again);
  return result.any_failed ? ExitCode::some_failed : ExitCode::ok;
}

}  // namespace

static void add_allow_oom_to(CLI::App& command, SweepRequest& request) {
  add_options(command,
              {{"--allow-oom", &request.allow_oom,
                "with --batch auto: let programs take all memory of a machine"}},
              "What to run");
}

static void add_sweep(CLI::App& app, CommandLine& line) {
  const auto [command, options] =
      line.add(app, "sweep", "probe a program on every machine type and with every setting",
               kSweepFooter, sweep, Takes::program);
  SweepRequest& request = options.request;
  options.candidates.add_to(command);
  add_allow_oom_to(command, request);
  options.probe.add_plan_to(command);
  options.probe.add_limits_to(command);
  add_options(command,
              {{"--find-epochs", &options.find_epochs,
                "first train each setting once until it stops improving"},
               {"--patience N",
                &options.epochs.patience,
                "epochs without improvement, for that",
                {.most = 1000000, .needs = "--find-epochs"}},
               {"--metric NAME",
                &options.epochs.metric,
                "reported metric that has to improve",
                {.needs = "--find-epochs"}},
               {"--repeats N",
                &options.epochs.repeats,
                "train each setting so often, with {seed} = 1 to N; their mean counts",
                {.most = 1000, .needs = "--find-epochs"}}},
              "Each batch size at its own number of epochs");
  options.race.add_to(command);
  options.rent.add_to(command);
  options.probe.add_probe_epochs_to(command, "--race");
  add_options(command,
              {{"--rounds N",
                &request.rounds,
                "probe each candidate in so many slices, in turn with the others; 3 unless the "
                "fleet file says exclusive",
                {.most = 100, .excludes = "--race"}},
               {"--confirm N",
                &request.confirm,
                "probe the first so many by cost and by time once more, at another moment",
                {.most = 1000, .least = 0, .excludes = "--race"}}},
              "How long to measure");
  add_going_on_to(command, request);
  add_options(command,
              {{"--retry-failed", &request.retry_failed, "probe failed candidates once more"}},
              "Going on with a sweep");
}

extern const NamedCommand kSweepCommand{"sweep", add_sweep};

}  // namespace lapcast

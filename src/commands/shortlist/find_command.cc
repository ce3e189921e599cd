#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "campaign/machine_search.h"
#include "campaign/offered_fleet.h"
#include "campaign/rental_bill.h"
#include "campaign/sweep.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/displays.h"
#include "cli/page_file.h"
#include "cli/race_options.h"
#include "cli/rent_options.h"
#include "cli/run_options.h"
#include "commands/shortlist/find_report.h"
#include "commands/shortlist/home_options.h"
#include "core/units.h"
#include "fleet/placeholders.h"
#include "fleet/worker_gpus.h"
#include "lease/lease_clock.h"
#include "query/rank_tables.h"
#include "report/rental_report.h"

namespace lapcast {
namespace {

constexpr const char* kFindFooter = R"(
Examples:
  lapcast find --search-budget 3USD -- python3 train.py
  lapcast find --batch 32,128 --search-budget 3USD -- python3 train.py --batch {batch}
  lapcast find --adapter vast --search-budget 1USD --regret 10% -- python3 train.py
  lapcast find --workers 1 --search-budget 3USD -- torchrun --nproc-per-node {workers} train.py
  lapcast find fleet.toml --search-budget 3USD --by time -- python3 train.py
  lapcast find fleet.toml --from 3f0c --search-budget 3USD -- python3 train.py

It measures some laps on this machine, forecasts the training on every machine, rents the one whose
probe is worth most, measures there, and forecasts all of them anew: until the expected regret of
the first one is small, no probe is worth its price, or the money is spent. Without a fleet file the
machines are those that adapters rent now, at the prices that they say now; those of a file may be
your own, too. It rents one machine at a time, and at the end nothing. After a crash the same
command goes on. The same by hand: shortlist, sweep, rank. lapcast help shortlist.md)";

struct FindArguments {
  HomeOptions home;
  std::string fleet_file;
  std::vector<std::string> offer_files;
  std::vector<std::string> adapters;
  std::optional<RaceBudget> budget;
  double regret = 0.05;
  RentOptions rent;
};

/// Returns the sweep whose probes the search chooses from: each machine with the training's values.
SweepRequest sweep_of(const Globals& globals, const FindArguments& options) {
  SweepRequest request;
  request.fleet_file = options.fleet_file;
  request.offer_files = options.offer_files;
  request.own_prices = globals.own_prices;
  request.values = options.home.values();
  for (auto& [name, values] : request.values) values.resize(1);
  request.typed = typed_line(globals);
  request.again = options.home.again;
  const ProbeOptions& probe = options.home.probe;
  request.probe = probe.request(common_context(program_of(globals, "find"), probe.plan));
  if (!options.fleet_file.empty()) return request;
  const RunContext& context = request.probe.context;
  const WantedGpus wanted{
      .any = !context.machine.accelerators.empty(),
      .several = std::ranges::binary_search(placeholders_of(context.program), kWorkersSetting)};
  OfferedFleet offered = offered_fleet(options.adapters, wanted);
  for (const std::string& silent : offered.silent) say("no offers of {}", silent);
  request.offered = std::move(offered.fleet);
  return request;
}

/// Returns the probes of a search in order, as its runs say.
std::vector<SearchStep> steps_of(const MachineSearch& search, const std::vector<Run>& runs,
                                 const Store& store) {
  std::vector<SearchStep> steps;
  SearchState before = search.judge({}, store);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    SearchState after = search.judge(std::span(runs).first(i + 1), store);
    steps.push_back({runs[i].context.machine_type.name,
                     describe(runs[i].outcome),
                     after.spent - before.spent,
                     {before.list.regret},
                     {after.list.regret}});
    before = std::move(after);
  }
  return steps;
}

/// Returns the probes of a sweep that count, the earliest first. What cannot run on its machine was
/// not tried.
std::vector<Run> probes_of(const Store& store, const std::string& sweep, const SweepPlan& plan) {
  std::vector<Run> runs = store.runs({.sweep = sweep, .kind = RunKind::probe, .own = true});
  std::erase_if(runs, [&plan](const Run& run) {
    return std::holds_alternative<outcome::Interrupted>(run.outcome) ||
           why_impossible(plan, run.context) != nullptr;
  });
  std::ranges::stable_sort(runs, {}, [](const Run& run) { return run.context.started_at; });
  return runs;
}

ExitCode find(const Globals& globals, const FindArguments& options) {
  SweepPlan plan = plan_sweep(sweep_of(globals, options));
  train_on_whole_machines(plan);
  warn(plan.warnings);
  CampaignDisplay display(globals.quiet);
  const SweepRequest& request = plan.request;
  const RaceBudget budget = options.budget.value_or(RaceBudget{});
  if (budget.time) throw Error(ExitCode::usage, "--search-budget must be money, such as 3USD");
  const auto supply = supply_of(
      read_rent_plan(plan.fleet, request.offer_files, request.own_prices), options.rent, budget,
      true, request.offered ? "what adapters offer" : request.fleet_file, display);
  const std::vector<Offer> offers = load_offers(request.offer_files, request.own_prices);
  if (options.home.wanted().by == Objective::cost) refuse_without_prices(plan, offers);
  auto home = options.home.measure(globals, "find");
  if (!home) return tell_interrupted(options.home.again);
  const MachineSearch search(plan, offers, *std::move(home),
                             {options.home.wanted(), options.regret, budget.money});
  Store store = globals.open_store();
  plan.request.choose = [&](std::span<const Run> runs) {
    const SearchState state = search.judge(runs, store);
    if (state.next) display.say(fmt::format("probing {}: {}", printable(*state.next), state.why));
    return state.next;
  };
  Interrupt interrupt;
  WorkerExecutor executor(interrupt);
  const SweepResult result = run_sweep(plan, {.store = store,
                                              .executor = executor,
                                              .interrupt = interrupt,
                                              .listener = display,
                                              .supply = supply.get()});
  const std::vector<Run> probes = probes_of(store, result.sweep.id, plan);
  const SearchState state = search.judge(probes, store);
  std::vector<Table> tables =
      search_tables(state, steps_of(search, probes, store), options.home.wanted());
  if (supply) tables.push_back(rental_table(rental_bill(supply->leases(), probes, lease_now_ns())));
  tables.push_back(
      sweep_record(result.sweep, request.probe.context.program, plan.candidates.size()));
  print(globals, tables);
  if (result.interrupted) return tell_interrupted(options.home.again);
  return state.list.rows.empty() ? ExitCode::some_failed : ExitCode::ok;
}

}  // namespace

static void add_find(CLI::App& app, CommandLine& line) {
  const auto [command, options] =
      line.add(app, "find", "search for the best machine, and rent only what is worth it",
               kFindFooter, find, Takes::program);
  add_options(command,
              {{"FLEET.toml", &options.fleet_file, "the machines [those that adapters rent now]"}});
  options.home.add_to(command);
  constexpr const char* kGroup = "The search";
  add_options(command,
              {{"--search-budget USD", parsed(options.budget, parse_search_budget),
                "the most that all probes may cost: 3USD"},
               {"--regret SHARE", parsed(options.regret, parse_share, "5%"),
                "end when the first machine is expected to cost so much more than the best one"},
               {"--adapter NAME", &options.adapters,
                "only what this adapter rents [all that are installed]", excludes("FLEET.toml")},
               {"--offers FILE.csv", &options.offer_files,
                "catalogs of the fleet file's offers [those that came with lapcast]"}},
              kGroup);
  options.home.add_limits_to(command, kGroup);
  options.rent.add_to(command);
  options.home.add_probes_to(command);
}

extern const NamedCommand kFindCommand{"find", add_find};

}  // namespace lapcast

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "campaign/campaign.h"
#include "campaign/machine_supply.h"
#include "campaign/rent_plan.h"
#include "campaign/verify.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/displays.h"
#include "cli/race_options.h"
#include "cli/rent_options.h"
#include "cli/run_options.h"
#include "core/units.h"
#include "fleet/candidates.h"
#include "query/forecast_run.h"
#include "query/input_files.h"
#include "query/queue_limit.h"
#include "query/rank_tables.h"
#include "query/typed_command.h"
#include "report/verify_report.h"

namespace lapcast {
namespace {

constexpr const char* kVerifyFooter = R"(
Examples:
  lapcast verify                   run the cheapest and the fastest candidate to the end
  lapcast verify --top 3
  lapcast verify --all             every candidate: then the regret is exact
  lapcast verify --all --repeats 5
                                   each candidate five times, in turn with the others: for a machine
                                   whose speed drifts
  lapcast verify --search-budget 2USD
                                   on machines that are rented for it, and given back

The program runs with the same arguments as in its probe, to its own end; so forecast and real time
are those of the program's own plan, whatever --epochs or --samples the probe was asked for. After
`lapcast sweep --find-epochs` both are taken at the number of epochs that each setting needs. What
was run to the end before counts towards --repeats and is not run again, unless --again asks for it.
With --repeats every candidate is run once, in random order, before any is run once more. The first
table has the mean of each candidate's real runs, and the second one each single real run. Imported
runs are left out: the command to type is printed instead.)";

struct VerifyArguments {
  VerifyRequest request;  // without its callbacks
  ProbeOptions probe;
  std::string fleet_file;
  RaceBudget budget;  // of what is rented
  RentOptions rent;
};

/// Collects the machines that have to be rented for the candidates, each for as long as all runs on
/// it take by their forecasts, and never for less than its fleet file says.
class MachinesToRent {
 public:
  MachinesToRent(FleetLookup& fleets, const Store& store) : fleets_(fleets), forecaster_(store) {}
  /// Returns the place of a probe's machine, for one more run there.
  PlaceSetup place_of(const Run& probe) {
    const auto machine = fleets_.machine_of(probe);
    if (machine && machine->rent) {
      add_run(*machine, probe);
      if (file_.empty()) file_ = fleets_.file_of(probe);
    }
    return fleets_.place_setup_of(probe);
  }
  Fleet fleet() const {
    Fleet fleet;
    for (auto [machine, runs] : needed_) {
      Seconds& term = machine.rent->order.term;
      term = std::max(term, runs + kBeforeAndAfterTraining);
      fleet.machines.push_back(std::move(machine));
    }
    return fleet;
  }
  const std::string& file() const { return file_; }

 private:
  void add_run(const FleetMachine& machine, const Run& probe) {
    auto known = std::ranges::find_if(
        needed_, [&](const auto& each) { return each.first.type == machine.type; });
    if (known == needed_.end()) known = needed_.insert(known, {machine, Seconds{0}});
    if (const auto made = forecaster_.forecast(probe); made.forecast)
      known->second += kRoomForTraining * made.forecast->total.high;
  }

  FleetLookup& fleets_;
  RunForecaster forecaster_;
  std::vector<std::pair<FleetMachine, Seconds>> needed_;  // and how long its runs take
  std::string file_;
};

/// Returns a line for each imported candidate, with the command to type.
std::vector<std::string> lines_about(const std::vector<RunContext>& imported) {
  constexpr std::size_t kMostLines = 10;
  std::vector<std::string> lines;
  for (const RunContext& context : imported) {
    if (lines.size() == kMostLines) {
      lines.push_back(
          fmt::format("{} more were imported and are not run", imported.size() - kMostLines));
      break;
    }
    lines.push_back(fmt::format("{} was imported and is not run; to measure it here: {}",
                                printable(candidate_name(context)),
                                typed_command("lapcast probe --", context)));
  }
  return lines;
}

ExitCode verify_command(const Globals& globals, const VerifyArguments& options) {
  globals.open_existing_store();  // refuses before a store is created
  Store store = globals.open_store();
  VerifyRequest request = options.request;
  request.selection.folder = std::filesystem::current_path().string();
  request.selection.own_prices = globals.own_prices;
  request.run_parent = options.probe.run_parent;
  FleetLookup fleets(store, options.fleet_file);
  request.start = [&](RunContext context) {
    if (context.place.empty())
      context.machine = this_machine();  // which may have been booted since
    return options.probe.request(std::move(context));
  };
  MachinesToRent machines(fleets, store);
  request.place = [&](const Run& probe) { return machines.place_of(probe); };
  Interrupt interrupt;
  CampaignDisplay display(globals.quiet);
  WorkerExecutor executor(interrupt);
  MeasuringTools tools{store, executor, interrupt, display};
  std::unique_ptr<MachineSupply> supply;
  request.before_runs = [&] {
    const RentPlan plan =
        read_rent_plan(machines.fleet(), request.selection.offer_files, globals.own_prices);
    supply = supply_of(plan, options.rent, options.budget, false, machines.file(), display);
    tools.supply = supply.get();
  };
  const VerifyResult result = verify(request, tools);
  const std::vector<std::string> left_out = lines_about(result.imported);
  if (result.rows.empty())
    throw Error(ExitCode::some_failed, "nothing that was imported is run: " + left_out.front());
  std::vector<Table> tables = verify_tables(result.rows, result.bill);
  if (result.sweep)
    tables.front().before.push_back(sweep_line(*result.sweep, result.program, result.candidates));
  tables.front().notes.insert(tables.front().notes.end(), left_out.begin(), left_out.end());
  print(globals, tables);
  if (result.interrupted) return tell_interrupted(false);
  return result.any_failed ? ExitCode::some_failed : ExitCode::ok;
}

}  // namespace

static void add_verify(CLI::App& app, CommandLine& line) {
  const auto [command, options] =
      line.add(app, "verify", "run candidates to the end and compare with their forecasts",
               kVerifyFooter, verify_command);
  VerifyRequest& request = options.request;
  add_options(command,
              {{"--sweep ID", &request.selection.sweep, kSweepHelp},
               {"--top N", &request.top,
                "run the first so many by forecast cost and by forecast time", up_to(1 << 30)},
               {"--all", &request.all, "run every candidate", excludes("--top")},
               {"--repeats N", &request.repeats,
                "real runs of each candidate, those of earlier commands included", up_to(100)},
               {"--again", &request.again,
                "make --repeats more real runs of each, whatever was run to the end before"},
               {"--fleet FLEET.toml", &options.fleet_file,
                "where remote machines are [the sweep's own fleet file]"},
               {"--offers FILE.csv", &request.selection.offer_files, "catalog of prices"},
               {"--no-catalog", &request.selection.no_catalog,
                "leave machines without a price that only lapcast's own catalog has"}});
  add_options(command, {{"--search-budget MONEY", parsed(options.budget, parse_search_budget),
                         "the most that rented machines may cost: 2.50USD"}});
  options.rent.add_to(command);
  options.probe.add_limits_to(command);
}

extern const NamedCommand kVerifyCommand{"verify", add_verify};

}  // namespace lapcast

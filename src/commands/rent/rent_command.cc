#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "campaign/rent_check.h"
#include "campaign/rent_plan.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/defaults_file.h"
#include "cli/progress_line.h"
#include "cli/race_options.h"
#include "commands/rent/rent_check.h"
#include "commands/rent/rent_try.h"
#include "core/units.h"
#include "probe/ids_and_time.h"
#include "probe/interrupt.h"
#include "query/input_files.h"
#include "report/rent_check_report.h"

namespace lapcast {
namespace {

constexpr const char* kRentFooter = R"(
Examples:
  lapcast rent check rent.toml            can the machines of a fleet file be rented? rents nothing
  lapcast rent check --adapter gcloud     does an adapter keep the contract? rents nothing
  lapcast rent try gcloud --type e2-small --zone europe-west4-a --search-budget 0.05USD

lapcast leases shows what is rented, and gives it back.)";

struct RentCheckArguments {
  std::string fleet_file;
  std::vector<std::string> offer_files;
  std::string adapter;
  bool unprotected = false;
};

struct RentTryArguments {
  std::string adapter;
  LeaseOrder order{.name = "trial", .term = Seconds{120}, .boot_limit = Seconds{120}};
  std::vector<std::string> zones;
  RaceBudget budget;
  Money max_price;
  bool unprotected = false;
};

bool all_passed(const std::vector<AdapterCheck>& checks) {
  return std::ranges::all_of(checks, &AdapterCheck::passed);
}

ExitCode check_fleet_to_rent(const Globals& globals, const RentCheckArguments& options) {
  const RentPlan plan =
      read_rent_plan(read_fleet_file(options.fleet_file), options.offer_files, globals.own_prices);
  if (plan.is_empty())
    throw Error(ExitCode::usage, fmt::format("{} has no machine with [machine.rent]",
                                             printable(options.fleet_file)));
  const std::vector<RentCheckRow> rows = rent_check(plan, options.unprotected);
  print(globals, {rent_check_table(rows)});
  const bool all_ready = std::ranges::all_of(rows, &std::string::empty, &RentCheckRow::problem);
  return all_ready ? ExitCode::ok : ExitCode::some_failed;
}

ExitCode check(const Globals& globals, const RentCheckArguments& options) {
  if (options.adapter.empty() == options.fleet_file.empty())
    throw Error(ExitCode::usage, "name a fleet file, or an adapter with --adapter NAME");
  if (!options.fleet_file.empty()) return check_fleet_to_rent(globals, options);
  const auto checks = check_adapter(options.adapter);
  if (!checks) throw Error(ExitCode::usage, "--adapter: " + checks.error().text);
  print(globals, {checks_table(options.adapter, *checks)});
  return all_passed(*checks) ? ExitCode::ok : ExitCode::some_failed;
}

/// Returns the order of a trial. Throws Error (usage) if no price is known.
RentalOrder order_of(const RentTryArguments& options) {
  RentalOrder order{
      .lease = options.order, .zones = options.zones, .unprotected = options.unprotected};
  order.lease.adapter = options.adapter;
  order.lease.boot_limit = order.lease.term;
  if (const auto found = find_adapter(options.adapter); !found)
    throw Error(ExitCode::usage, found.error().text);
  if (const auto told = told_price(order)) order.lease.price = *told;
  const bool is_given = options.max_price > Money{};
  order.lease.most = is_given ? HourlyPrice{options.max_price} : order.lease.price;
  if (order.lease.most.per_hour > Money{}) return order;
  throw Error(ExitCode::usage,
              fmt::format("{} tells no price of {}; give --max-price, in USD per hour",
                          options.adapter, printable(order.lease.type, 60)));
}

ExitCode try_machine(const Globals& globals, const RentTryArguments& options) {
  if (!options.budget.money) {
    throw Error(ExitCode::usage, "a trial costs money: give --search-budget, such as 0.10USD");
  }
  const RentalOrder order = order_of(options);
  Interrupt interrupt;
  ProgressLine line(globals.quiet);
  line.show("renting");
  const auto trial =
      try_rental(order, {"trial " + new_id(), *options.budget.money, rent_limit_a_month()},
                 interrupt, [&](const std::string& text) { line.finished(text); });
  line.clear();
  if (!trial) throw Error(ExitCode::usage, "nothing was rented: " + trial.error().text);
  print(globals, {trial_table(*trial), checks_table(options.adapter, trial->checks)});
  if (interrupt.count() > 0) return ExitCode::interrupted;
  return all_passed(trial->checks) ? ExitCode::ok : ExitCode::some_failed;
}

void add_try(CLI::App& rent, CommandLine& line) {
  const auto [command, options] =
      line.add(rent, "try", "rent one machine for two minutes: boot, ssh, give back, its bill",
               kRentFooter, try_machine);
  add_options(
      command,
      {{"ADAPTER", &options.adapter, "NAME of lapcast-rent-NAME", kRequired},
       {"--type TYPE", &options.order.type, "the machine type, as the provider calls it",
        kRequired},
       {"--search-budget MONEY", parsed(options.budget, parse_search_budget),
        "what the trial may cost, such as 0.10USD"},
       {"--zone ZONE,...", &options.zones, "tried in this order", {.comma_separated = true}},
       {"--region REGION", &options.order.region, "where, for providers without zones"},
       {"--image IMAGE", &options.order.image, "what it boots [the adapter's own]"},
       {"--spot", &options.order.spot, "a machine that the provider may take back"},
       {"--max-price USD", parsed(options.max_price, not_below_zero(Money::parse, "0.40")),
        "what an hour may cost [what the provider tells]"},
       {"--time TIME", parsed(options.order.term, above_zero(parse_duration, "2m"), "2m"),
        "until it is given back at the latest"},
       {"--unprotected", &options.unprotected,
        "rent even where nothing but this computer ends the machine"}});
}

}  // namespace

static void add_rent(CLI::App& app, CommandLine& line) {
  CLI::App& rent = line.add(app, "rent", "check adapters of providers, and try one machine",
                            kRentFooter, std::function<ExitCode()>());
  const auto [command, options] =
      line.add(rent, "check", "test whether machines, or an adapter, can be used; rents nothing",
               kRentFooter, check);
  add_options(
      command,
      {{"FLEET.toml", &options.fleet_file, "fleet file with machines to rent"},
       {"--adapter NAME", &options.adapter, "NAME of lapcast-rent-NAME"},
       {"--offers FILE.csv", &options.offer_files, "catalog of the offers that the file names"},
       {"--unprotected", &options.unprotected, "as with this option of the commands that rent"}});
  add_try(rent, line);
}

extern const NamedCommand kRentCommand{"rent", add_rent};

}  // namespace lapcast

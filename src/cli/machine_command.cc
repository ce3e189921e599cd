#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <variant>
#include <vector>

#include "app/input_files.h"
#include "cli/commands.h"
#include "cli/run_options.h"
#include "machine/discover.h"
#include "price/catalog.h"
#include "probe/ids_and_time.h"
#include "probe/interrupt.h"
#include "probe/quiet_check.h"
#include "report/fleet_report.h"
#include "report/table.h"

namespace lapcast {
namespace {

struct MachineArguments {
  bool quiet_check = false;
};

constexpr const char* kMachineFooter = R"(
Examples:
  lapcast machine
  lapcast machine --format json
  lapcast machine --quiet-check && lapcast sweep fleet.toml -- ./train.py

--quiet-check works on all CPUs for three seconds and says how much others used them meanwhile, and
how evenly the work went. It ends with 1 where a measurement should wait.)";

ExitCode look_whether_quiet(const Globals& globals) {
  const Interrupt interrupt;
  const QuietCheck check = check_quiet(allowed_cpus(), Seconds{3}, interrupt);
  if (interrupt.count() > 0) return ExitCode::interrupted;
  const std::string why_not = why_not_quiet(check);
  Table table = figure_table(
      "quiet", "Is this machine quiet?",
      {{"is_quiet", "", why_not.empty()},
       {"cpus", "", Number{check.cpus, 0}},
       {"others_used_cpus", "others used", Number{check.others_cpus, 2},
        fmt::format("of {:.0f} CPUs", check.cpus)},
       {"lost_to_others_share", "lost to others", Percentage{check.lost_share}, "of the time"},
       {"stolen_share", "taken by the host", Percentage{check.stolen}, "of the CPUs' time"},
       {"spread", "same work varied by", Percentage{check.spread},
        "standard deviation of 20 ms of work"}});
  table.notes.push_back(why_not.empty() ? "yes: now is a good moment to measure"
                                        : "no, measure later: " + why_not);
  print(globals, {table});
  return why_not.empty() ? ExitCode::ok : ExitCode::some_failed;
}

ExitCode describe_machine(const Globals& globals, const MachineArguments& options) {
  if (options.quiet_check) return look_whether_quiet(globals);
  print(globals, {machine_table(describe_this_machine())});
  return ExitCode::ok;
}

constexpr const char* kCatalogFooter = R"(
Examples:
  lapcast catalog                            the prices that came with lapcast
  lapcast catalog --offers mine.csv --find v100
  lapcast catalog --format csv

Every price shows its date and its source. lapcast help catalog.md says how to write a catalog.)";

struct CatalogArguments {
  std::vector<std::string> files;
  std::string find;
};

/// Returns whether a name of the offer holds the text, in upper or lower case.
bool matches(const Offer& offer, std::string wanted) {
  const auto lower = [](std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
  };
  wanted = lower(wanted);
  return lower(offer.name + " " + offer.machine_type + " " + offer.accelerator + " " +
               offer.provider)
             .find(wanted) != std::string::npos;
}

ExitCode catalog(const Globals& globals, const CatalogArguments& options) {
  std::vector<Offer> offers = load_offers(options.files);
  std::erase_if(offers, [&](const Offer& offer) { return !matches(offer, options.find); });
  const auto terms = [](const Offer& offer) { return std::string(name_of(offer.terms)); };
  Table table = table_of<Offer>(
      "offers", "Offers",
      {{"name", "name", &Offer::name},
       {"machine_type", "machine", &Offer::machine_type},
       {"accelerator", "accelerator", &Offer::accelerator},
       {"accelerator_count", "count", &Offer::accelerator_count},
       {"price_usd_per_hour", "price/h", [](auto& offer) { return offer.price.per_hour; }},
       {"terms", "terms", terms},
       {"as_of", "as of", &Offer::as_of},
       {"source", "source", &Offer::source}},
      offers);
  const std::string today = utc_now().substr(0, 10);
  const auto old = std::count_if(offers.begin(), offers.end(),
                                 [&](const Offer& offer) { return is_old(offer, today); });
  if (old > 0)
    table.notes.push_back(fmt::format(
        "{} of these prices are older than a year: look them up before you decide by them", old));
  if (offers.empty())
    table.notes.push_back(fmt::format(
        "{} in {}", options.find.empty() ? "no offer is" : "no offer holds this text",
        fmt::join(options.files.empty() ? default_catalog_files() : options.files, ", ")));
  print(globals, {table});
  return ExitCode::ok;
}

}  // namespace

void add_machine(CLI::App& app, CommandLine& line) {
  const auto [command, options] =
      line.add(app, "machine", "describe this machine: CPU, memory, accelerators, limits",
               kMachineFooter, describe_machine);
  add_options(command, {{"--quiet-check", &options.quiet_check,
                         "say whether now is a good moment to measure on it"}});
}

void add_catalog(CLI::App& app, CommandLine& line) {
  const auto [command, options] =
      line.add(app, "catalog", "list the offers of price catalogs", kCatalogFooter, catalog);
  add_options(command, {{"--offers FILE.csv", &options.files,
                         "catalogs to list [those that came with lapcast]"},
                        {"--find TEXT", &options.find, "only offers that hold this text"}});
}

}  // namespace lapcast

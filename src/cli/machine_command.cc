#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <variant>
#include <vector>

#include "cli/commands.h"
#include "cli/run_options.h"
#include "machine/discover.h"
#include "price/catalog.h"
#include "probe/ids_and_time.h"
#include "report/fleet_report.h"

namespace lapcast {
namespace {

ExitCode describe_machine(const Globals& globals) {
  print(globals, {machine_table(describe_this_machine())});
  return ExitCode::ok;
}

constexpr const char* kCatalogFooter = R"(
Examples:
  lapcast catalog                            the prices that came with lapcast
  lapcast catalog --offers mine.csv --find v100
  lapcast catalog --format csv

Every price shows its date and its source. docs/catalog.md says how to write a catalog.)";

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
  const auto terms = [](const Offer& offer) {
    return std::holds_alternative<Owned>(offer.terms) ? "owned" : "on demand";
  };
  Table table = table_of<Offer>(
      "Offers",
      {{"name", "name", &Offer::name},
       {"machine_type", "machine", &Offer::machine_type},
       {"accelerator", "accelerator", &Offer::accelerator},
       {"accelerator_count", "count", &Offer::accelerator_count},
       {"price_usd_per_hour", "USD/h", [](auto& offer) { return offer.price.per_hour; }},
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
  print(globals, {table});
  return ExitCode::ok;
}

}  // namespace

void add_machine(CLI::App& app, CommandLine& line) {
  line.add(app, "machine", "describe this machine: CPU, memory, accelerators, limits",
           "\nExamples:\n  lapcast machine\n  lapcast machine --format json", describe_machine);
}

void add_catalog(CLI::App& app, CommandLine& line) {
  const auto [command, options] =
      line.add(app, "catalog", "list the offers of price catalogs", kCatalogFooter, catalog);
  add_options(command, {{"--offers FILE.csv", &options.files,
                         "catalogs to list [those that came with lapcast]"},
                        {"--find TEXT", &options.find, "only offers that hold this text"}});
}

}  // namespace lapcast

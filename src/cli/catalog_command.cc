#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "cli/commands.h"
#include "cli/selection.h"
#include "price/catalog.h"
#include "probe/ids_and_time.h"

namespace lapcast {
namespace {

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

void add_catalog(CLI::App& app, Globals& globals, Action& action) {
  auto options = std::make_shared<CatalogArguments>();
  CLI::App* command = app.add_subcommand("catalog", "list the offers of price catalogs");
  command->add_option("--offers", options->files, "catalogs to list [those that came with lapcast]")
      ->type_name("FILE.csv")
      ->take_all();
  command->add_option("--find", options->find, "only offers that hold this text")
      ->type_name("TEXT");
  command->footer(kCatalogFooter);
  command->callback([&globals, &action, options] {
    action = {[&globals, options] { return catalog(globals, *options); }, false};
  });
}

}  // namespace lapcast

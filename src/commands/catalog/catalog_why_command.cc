#include <fmt/format.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/run_options.h"
#include "commands/catalog/catalog_commands.h"
#include "core/units.h"
#include "price/catalog.h"
#include "price/own_prices.h"
#include "probe/ids_and_time.h"
#include "query/input_files.h"
#include "table/table.h"

namespace lapcast {
namespace {

constexpr const char* kWhyFooter = R"(
Examples:
  lapcast catalog why azure/Standard_NC24ads_A100_v4/eastus/spot
  lapcast catalog why my/offer --offers mine.csv --own-prices prices.toml

The steps lead from the listed price to the one that you pay: its currency, then your own price or
your discounts. lapcast help catalog.md describes the file of own prices.)";

struct WhyArguments {
  std::string name;
  std::vector<std::string> files;
};

std::vector<Figure> figures_of(const Offer& offer) {
  std::vector<Figure> figures{{"name", "offer", Cell(offer.name)},
                              {"source", "read in", Cell(offer.source)},
                              {"as_of", "as of", Cell(offer.as_of),
                               is_old(offer, utc_now().substr(0, 10)) ? "older than a year" : ""},
                              {"terms", "terms", Cell(std::string(name_of(offer.terms)))}};
  if (const auto* reserved = std::get_if<Reserved>(&offer.terms)) {
    figures.push_back({"up_front_usd", "up front", Cell(reserved->up_front)});
    figures.push_back({"committed_usd_per_hour", "per hour of the term", Cell(reserved->per_hour),
                       fmt::format("{} months of 730 h, used or not", reserved->months)});
    figures.push_back({"utilisation", "used", Cell(Percentage{reserved->utilisation})});
  }
  if (const auto* owned = std::get_if<Owned>(&offer.terms)) {
    figures.push_back({"purchase_usd", "purchase", Cell(owned->purchase),
                       fmt::format("over {} years of 8760 h", owned->years)});
    figures.push_back({"utilisation", "used", Cell(Percentage{owned->utilisation})});
  }
  figures.push_back({"price_usd_per_hour", "price per hour of use", Cell(offer.price.per_hour)});
  if (offer.other.tax > 0)
    figures.push_back({"tax", "tax on the whole bill", Cell(Percentage{offer.other.tax})});
  figures.push_back(
      {"marginal_usd_per_hour", "one more hour costs", Cell(marginal_price(offer).per_hour)});
  return figures;
}

Table steps_table(const std::vector<PriceStep>& steps) {
  return table_of<PriceStep>(
      "price_steps", "Step by step",
      {{"step", "step", &PriceStep::step},
       {"what", "what", &PriceStep::what},
       {"price_usd_per_hour", "price/h", &PriceStep::per_hour},
       {"as_of", "as of", [](const PriceStep& step) { return text_cell(step.as_of); }},
       {"source", "read in", &PriceStep::source}},
      steps);
}

ExitCode explain_offer(const Globals& globals, const WhyArguments& options) {
  const OwnPrices own = read_own_prices(globals.own_prices);
  const CatalogOffers listed = read_listed_catalogs(options.files, own);
  warn(listed.warnings);
  const Offer* offer = offer_of_name(listed.offers, options.name);
  if (offer == nullptr)
    throw Error(ExitCode::usage, fmt::format("no catalog has an offer '{}'; `lapcast catalog "
                                             "--find TEXT` lists them",
                                             printable(options.name, 100)));
  const auto foreign = listed.foreign.find(offer->name);
  const Offer paid = own_offer(own, *offer);
  if (const auto reason = why_not_valid(paid, today()))
    throw Error(ExitCode::bad_input, reason->text);
  print(globals, {figure_table("price", "Where the price comes from", figures_of(paid)),
                  steps_table(price_steps(
                      own, *offer, foreign == listed.foreign.end() ? nullptr : &foreign->second))});
  return ExitCode::ok;
}

}  // namespace

void add_price_why(CLI::App& command, CommandLine& line) {
  const auto [why, options] = line.add(command, "why", "say where the price of an offer comes from",
                                       kWhyFooter, explain_offer);
  add_options(why, {{"OFFER", &options.name, "its name", kRequired},
                    {"--offers FILE.csv", &options.files, "catalogs to look in"}});
}

}  // namespace lapcast

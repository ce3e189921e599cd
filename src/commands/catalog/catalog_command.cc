#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/offer_options.h"
#include "cli/run_options.h"
#include "commands/catalog/catalog_commands.h"
#include "core/units.h"
#include "price/catalog.h"
#include "price/offer_filter.h"
#include "probe/ids_and_time.h"
#include "query/current_offers.h"
#include "query/input_files.h"
#include "table/table.h"

namespace lapcast {
namespace {

constexpr const char* kCatalogFooter = R"(
Examples:
  lapcast catalog --gpu a100 --count 8 --region eu --max-price 30
  lapcast catalog --provider azure --terms spot --top 10
  lapcast catalog --offers mine.csv --find v100 --format csv
  lapcast catalog why azure/Standard_NC24ads_A100_v4/eastus/spot

The prices that came with lapcast have a date and a source each; `lapcast catalog update` fetches
newer ones. lapcast help catalog.md says how to write a catalog.)";

struct CatalogArguments {
  std::vector<std::string> files;
  OfferFilter filter;
  std::int64_t top = 0;
};

/// Holds the number of a provider's listed prices, and their dates.
struct Age {
  std::size_t count = 0;
  std::size_t old = 0;
  std::string oldest, newest;
};

std::map<std::string, Age> ages_of(const std::vector<const Offer*>& offers) {
  const std::string today = utc_now().substr(0, 10);
  std::map<std::string, Age> ages;
  for (const Offer* offer : offers) {
    Age& age = ages[offer->provider];
    if (age.count++ == 0) age.oldest = age.newest = offer->as_of;
    if (parse_date(offer->as_of) < parse_date(age.oldest)) age.oldest = offer->as_of;
    if (parse_date(offer->as_of) > parse_date(age.newest)) age.newest = offer->as_of;
    age.old += is_old(*offer, today) ? 1 : 0;
  }
  return ages;
}

std::string age_line(const std::string& provider, const Age& age) {
  const std::string name = provider.empty() ? "no provider" : provider;
  if (age.count == 0) return name + ": no price matches";
  return fmt::format(
      "{}: {}, of {}{}", name, counted(age.count, "price"),
      age.oldest == age.newest ? age.newest : age.oldest + " to " + age.newest,
      age.old > 0
          ? fmt::format("; {} older than a year: look them up before you decide by them", age.old)
          : "");
}

/// Returns the kinds of offers of which the catalog has none, for each provider in `ages`.
std::map<std::string, std::string> gaps_of(std::span<const Offer> offers,
                                           const std::map<std::string, Age>& ages) {
  struct Kinds {
    bool on_spot = false, without_accelerator = false, with_region = false;
  };
  std::map<std::string, Kinds> known;
  for (const auto& entry : ages) known[entry.first];
  for (const Offer& offer : offers) {
    const auto kinds = known.find(offer.provider);
    if (kinds == known.end()) continue;
    kinds->second.on_spot |= std::holds_alternative<Spot>(offer.terms);
    kinds->second.without_accelerator |= offer.accelerator.empty();
    kinds->second.with_region |= !offer.region.empty();
  }
  std::map<std::string, std::string> gaps;
  for (const auto& [provider, kinds] : known) {
    std::vector<std::string_view> missing;
    if (!kinds.on_spot) missing.push_back("on spot");
    if (!kinds.without_accelerator) missing.push_back("without an accelerator");
    if (!kinds.with_region) missing.push_back("with its region");
    if (!missing.empty())
      gaps[provider] = fmt::format("the catalog has none {}", fmt::join(missing, ", none "));
  }
  return gaps;
}

/// Returns a line for each provider with its prices' dates, and for lapcast's own catalogs what
/// they lack and where to get it.
std::vector<std::string> notes_of(const std::vector<const Offer*>& found,
                                  std::span<const Offer> offers, const CatalogArguments& options) {
  std::map<std::string, Age> ages = ages_of(found);
  const bool own_catalogs = options.files.empty();
  if (own_catalogs && found.empty() && !options.filter.provider.empty())
    for (const Offer& offer : offers)
      if (holds(offer.provider, options.filter.provider)) ages[offer.provider];
  std::map<std::string, std::string> gaps;
  if (own_catalogs) gaps = gaps_of(offers, ages);
  std::vector<std::string> lines;
  for (const auto& [provider, age] : ages)
    lines.push_back(age_line(provider, age) +
                    (gaps.contains(provider) ? "; " + gaps[provider] : ""));
  if (own_catalogs && (found.empty() || !gaps.empty()))
    lines.emplace_back(
        "what is missing: `lapcast catalog update` fetches lists of today, `lapcast catalog "
        "import` "
        "reads one, and `lapcast help catalog.md` says what no list has");
  return lines;
}

Table offers_table(const std::vector<const Offer*>& offers) {
  using Row = const Offer*;
  return table_of<Row>(
      "offers", "Offers",
      {{"name", "name", [](Row offer) { return offer->name; }},
       {"provider", "", [](Row offer) { return text_cell(offer->provider); }},
       {"region", "", [](Row offer) { return text_cell(offer->region); }},
       {"machine_type", "machine", [](Row offer) { return offer->machine_type; }, spare(2)},
       {"accelerator", "accelerator", [](Row offer) { return offer->accelerator; }},
       {"accelerator_count", "count", [](Row offer) { return offer->accelerator_count; }},
       {"vcpus", "", [](Row offer) { return offer->vcpus ? Cell(Number{*offer->vcpus}) : Cell(); }},
       {"memory_bytes", "memory",
        [](Row offer) { return offer->memory_bytes ? Cell(Bytes{*offer->memory_bytes}) : Cell(); },
        kOptional | spare(3)},
       {"price_usd_per_hour", "price/h", [](Row offer) { return offer->price.per_hour; }},
       {"terms", "terms", [](Row offer) { return name_of(offer->terms); }},
       {"as_of", "as of", [](Row offer) { return offer->as_of; }, spare(1)},
       {"source", "", [](Row offer) { return offer->source; }}},
      offers);
}

ExitCode catalog(const Globals& globals, const CatalogArguments& options) {
  // A catalog has listed prices: whoever reads it pays less by a discount, and once.
  const CatalogOffers catalogs =
      globals.format == "csv"
          ? read_listed_catalogs(options.files, read_own_prices(globals.own_prices))
          : read_catalogs(options.files, globals.own_prices);
  warn(catalogs.warnings);
  const std::vector<Offer>& offers = catalogs.offers;
  std::vector<const Offer*> found = matching_offers(offers, options.filter);
  std::vector<std::string> notes = notes_of(found, offers, options);
  const std::size_t all = found.size();
  const std::size_t most = options.top > 0             ? static_cast<std::size_t>(options.top)
                           : globals.format == "table" ? 50
                                                       : all;
  if (found.size() > most) found.resize(most);
  std::vector<std::string> odd_prices;
  for (const Offer* offer : found)
    if (auto odd = odd_fetched_price(*offer)) odd_prices.push_back(*std::move(odd));
  warn(odd_prices);
  if (globals.format == "csv") {  // what --offers reads, with all that it can hold
    std::vector<Offer> listed;
    for (const Offer* offer : found) listed.push_back(*offer);
    write_to_stdout(catalog_csv(listed));
    return ExitCode::ok;
  }
  Table table = offers_table(found);
  table.notes = std::move(notes);
  if (all > found.size())
    table.notes.push_back(fmt::format(
        "the cheapest {} of {} offers; --top N shows more, --gpu, --provider ... narrow it down",
        found.size(), all));
  if (all == 0)
    table.notes.push_back(fmt::format(
        "no offer matches in {}{}",
        fmt::join(options.files.empty() ? default_catalog_files() : options.files, ", "),
        options.files.empty() ? " and the prices that came with lapcast" : ""));
  print(globals, {table});
  return ExitCode::ok;
}

}  // namespace

static void add_catalog(CLI::App& app, CommandLine& line) {
  const auto [command, options] =
      line.add(app, "catalog", "list the offers of price catalogs", kCatalogFooter, catalog);
  add_options(command, {{"--offers FILE.csv", &options.files,
                         "catalogs to list [those that came with lapcast]"}});
  add_filter_to(command, options.filter);
  add_options(command, {{"--top N", &options.top,
                         "only the cheapest N [50 on a terminal, else all]", up_to(1'000'000)}});
  add_price_why(command, line);
  add_price_lists(command, line);
}

extern const NamedCommand kCatalogCommand{"catalog", add_catalog};

}  // namespace lapcast

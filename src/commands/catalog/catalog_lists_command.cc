#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/run_options.h"
#include "commands/catalog/catalog_commands.h"
#include "commands/catalog/price_lists.h"
#include "core/error.h"
#include "core/units.h"
#include "formats/format_list.h"
#include "price/catalog.h"
#include "probe/ids_and_time.h"
#include "query/current_offers.h"
#include "query/input_files.h"
#include "table/table.h"

namespace lapcast {
namespace {

struct ImportArguments {
  PriceListRequest request;
};

constexpr const char* kPriceImportFooter = R"(
Examples:
  lapcast catalog import skypilot vms.csv --provider aws --as-of 2026-11-20 > aws.csv
  lapcast catalog import gcp-pricing gcp.csv.gz --provider gcp --as-of 2026-07 > gcp.csv
  lapcast rank --offers aws.csv

The catalog goes to standard output; what was refused, and why, to standard error.)";

void report_list(const std::string& place, const PriceList& list, std::size_t offers) {
  std::vector<std::string> lines{
      fmt::format("{}: {} rows gave {} offers; {} prices of other zones were merged",
                  printable(place), list.rows, offers, list.merged)};
  if (list.divided > 0)
    lines.push_back(
        fmt::format("the accelerator memory of {} offers was that of all their accelerators "
                    "together, and was divided by their number",
                    list.divided));
  for (const auto& [reason, count] : list.refused)
    lines.push_back(fmt::format("{} refused: {}", count, printable(reason)));
  for (const auto& [reason, count] : list.not_believed)
    lines.push_back(fmt::format("{} taken as not known: {}", count, reason));
  constexpr std::size_t kMostWarnings = 10;
  for (std::size_t i = 0; i < std::min(list.warnings.size(), kMostWarnings); ++i)
    lines.push_back(list.warnings[i]);
  if (list.warnings.size() > kMostWarnings)
    lines.push_back(fmt::format("{} more prices look wrong", list.warnings.size() - kMostWarnings));
  warn(lines);
}

ExitCode import_prices(const Globals& globals, const ImportArguments& options) {
  PriceListRequest request = options.request;
  if (request.origin.source.empty())
    request.origin.source = request.place.substr(request.place.rfind('/') + 1);
  const PriceList list = import_price_list(request, globals.own_prices);
  report_list(request.place, list, list.offers.size());
  if (list.offers.empty())
    throw Error(ExitCode::bad_input,
                fmt::format("{}: no price of it can be used", printable(request.place)));
  fmt::print("{}", catalog_csv(list.offers));
  return ExitCode::ok;
}

struct UpdateArguments {
  std::string format = "skypilot";
  std::string provider;
  std::string url;
};

constexpr const char* kUpdateFooter = R"(
Examples:
  lapcast catalog update
  lapcast catalog update --url https://example.org/vms.csv --provider aws
  lapcast catalog diff                  what the updates changed
  lapcast catalog diff old.csv new.csv

curl fetches the lists, over https only, without following redirections. A list that cannot be had
or used leaves the prices as they are.)";

ExitCode update(const Globals& globals, const UpdateArguments& options) {
  std::vector<PriceListRequest> lists = default_price_lists();
  if (!options.url.empty())
    lists = {
        {options.format, options.url, {options.provider, utc_now().substr(0, 10), options.url}}};
  const PriceUpdate update = update_prices(lists, globals.own_prices);
  std::size_t failed = 0;
  for (const PriceUpdate::List& list : update.lists) {
    failed += list.failure.empty() ? 0 : 1;
    if (list.failure.empty()) {
      report_list(list.place, list.list, list.offers);
    } else {
      warn({list.failure + "; its prices stay as they were"});
    }
  }
  if (!globals.quiet)
    say("{} of {} lists were read; {} holds {} offers, {} before", lists.size() - failed,
        lists.size(), printable(updated_catalog_file().string()), update.after, update.before);
  return failed > 0 ? ExitCode::some_failed : ExitCode::ok;
}

struct DiffArguments {
  std::string before;  // empty = the prices shipped with lapcast
  std::string after;   // empty = the prices that `catalog update` fetched
};

struct PriceChange {
  std::string name;
  const Offer* before = nullptr;
  const Offer* after = nullptr;
};

std::vector<PriceChange> changes_between(const std::vector<Offer>& before,
                                         const std::vector<Offer>& after) {
  std::map<std::string, PriceChange> by_name;
  for (const Offer& offer : before) by_name[offer.name] = {offer.name, &offer, nullptr};
  for (const Offer& offer : after) {
    PriceChange& change = by_name[offer.name];
    change.name = offer.name;
    change.after = &offer;
  }
  std::vector<PriceChange> changes;
  for (const auto& entry : by_name) {
    const PriceChange& change = entry.second;
    if (!change.before || !change.after || change.before->price != change.after->price)
      changes.push_back(change);
  }
  return changes;
}

/// Returns the offers of a catalog as listed: own prices do not change what is compared.
std::vector<Offer> listed_offers(const std::string& file, const OwnPrices& own) {
  CatalogOffers listed = read_listed_catalogs({file}, own);
  warn(listed.warnings);
  return std::move(listed.offers);
}

ExitCode diff(const Globals& globals, const DiffArguments& options) {
  if (options.before.empty() != options.after.empty())
    throw Error(ExitCode::usage, "name two catalogs, or none to see what `catalog update` changed");
  const bool of_update = options.before.empty();
  const OwnPrices own = of_update ? OwnPrices() : read_own_prices(globals.own_prices);
  const std::vector<Offer> before =
      of_update ? shipped_offers() : listed_offers(options.before, own);
  const std::vector<Offer> after = of_update ? current_offers() : listed_offers(options.after, own);
  const std::vector<PriceChange> changes = changes_between(before, after);
  const auto price = [](const Offer* offer) {
    return offer ? Cell(offer->price.per_hour) : Cell();
  };
  Table table = table_of<PriceChange>(
      "price_changes", "Prices that differ",
      {{"name", "name", &PriceChange::name},
       {"before_usd_per_hour", "before", [&](auto& change) { return price(change.before); }},
       {"after_usd_per_hour", "after", [&](auto& change) { return price(change.after); }},
       {"change", "change",
        [](const PriceChange& change) {
          if (!change.before || !change.after || change.before->price.per_hour == Money{})
            return Cell();
          return Cell(Percentage{change.after->price.per_hour.dollars() /
                                     change.before->price.per_hour.dollars() -
                                 1});
        }}},
      changes);
  std::error_code unknown;
  if (of_update && !std::filesystem::exists(updated_catalog_file(), unknown))
    table.notes.emplace_back("no list was fetched yet; run lapcast catalog update");
  print(globals, {table});
  return ExitCode::ok;
}

}  // namespace

void add_price_lists(CLI::App& command, CommandLine& line) {
  const auto [import, import_options] =
      line.add(command, "import", "write a price list of others as a catalog", kPriceImportFooter,
               import_prices);
  PriceListRequest& request = import_options.request;
  const std::string formats = names_of_formats(FormatKind::price_list) + "|csv";
  add_options(
      import,
      {{"FORMAT", &request.format, "of the list", {.one_of = formats.c_str(), .required = true}},
       {"FILE", &request.place, "the list: a file, also with gzip, or an https address", kRequired},
       {"--provider NAME", &request.origin.provider, "of all rows, where the list does not say it"},
       {"--as-of DATE", &request.origin.as_of, "of all rows, where the list does not say it"},
       {"--source TEXT", &request.origin.source, "where the list is from [the file's name]"}});
  const auto [renew, renew_options] =
      line.add(command, "update", "fetch today's price lists", kUpdateFooter, update);
  add_options(renew, {{"--url ADDRESS", &renew_options.url, "this list instead of the usual ones"},
                      {"--list-format FORMAT", &renew_options.format, "of the list",
                       one_of(formats.c_str())},
                      {"--provider NAME", &renew_options.provider, "of the list"}});
  const auto [changes, change_options] =
      line.add(command, "diff", "compare the prices of two catalogs", kUpdateFooter, diff);
  add_options(changes, {{"BEFORE", &change_options.before, "a catalog [the one of lapcast]"},
                        {"AFTER", &change_options.after, "a later one [what was fetched]"}});
}

}  // namespace lapcast

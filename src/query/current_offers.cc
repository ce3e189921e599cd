#include "query/current_offers.h"

#include <fmt/format.h>

#include <map>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/units.h"
#include "posix/gzip_file.h"
#include "price/catalog.h"
#include "price/odd_prices.h"
#include "price/offer_filter.h"
#include "probe/ids_and_time.h"
#include "store/store.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

/// Returns the text of the catalog that is part of the binary; empty where it has none.
std::string shipped_csv() {
  return decompressed(std::string(shipped_catalog()), "the shipped catalog", kMostPriceListBytes);
}

struct CurrentPrices {
  std::vector<Offer> offers;
  std::map<std::string, std::string> odd;  // what is odd about fetched offers, by name
};

CurrentPrices read_current_prices() {
  CurrentPrices prices;
  std::vector<Offer> shipped = shipped_offers();
  std::vector<Offer> fetched = updated_offers();
  if (!fetched.empty())
    for (std::string& line : odd_prices(fetched, shipped)) {
      std::string name = line.substr(0, line.find(": "));
      prices.odd.emplace(std::move(name), std::move(line));
    }
  prices.offers = newest_of(std::move(shipped), std::move(fetched));
  return prices;
}

const CurrentPrices& current_prices() {
  // Never freed: at the end of a command that takes longer than the end of its process.
  static const CurrentPrices& prices = *new CurrentPrices(read_current_prices());
  return prices;
}

}  // namespace

fs::path updated_catalog_file() {
  return default_store_file().parent_path() / "prices.csv";
}

std::vector<Offer> updated_offers() {
  const fs::path file = updated_catalog_file();
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return {};
  try {
    return parse_catalog(read_whole(file.string(), kMostPriceListBytes).text, file.string(),
                         today())
        .offers;
  } catch (const Error& error) {
    throw Error(error.code(),
                fmt::format("{}; remove it and run lapcast catalog update", error.what()));
  }
}

std::vector<Offer> shipped_offers() {
  const std::string csv = shipped_csv();
  if (csv.empty()) return {};
  return parse_catalog(csv, "the shipped catalog", today()).offers;
}

const std::vector<Offer>& current_offers() {
  return current_prices().offers;
}

std::optional<std::string> odd_fetched_price(const Offer& offer) {
  std::error_code absent;
  if (!fs::exists(updated_catalog_file(), absent)) return std::nullopt;
  const auto odd = current_prices().odd.find(printable(offer.name));
  return odd == current_prices().odd.end() ? std::nullopt : std::optional(odd->second);
}

}  // namespace lapcast

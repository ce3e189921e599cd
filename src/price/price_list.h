#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "price/offer.h"

namespace lapcast {

/// Bounds the offers of a catalog or a price list, so that reading and merging two of them take
/// less than 1 GB of memory. The lists of all large providers together have about a third of it.
inline constexpr std::size_t kMostOffers = 400'000;
/// Bounds the bytes of their texts likewise. A name and a source have some 100 bytes together.
inline constexpr std::size_t kMostOfferBytes = 128 << 20;

/// Throws Error (bad input) that says the limit where there are more than kMostOffers.
void check_offer_count(std::size_t count);

/// Counts the offers that are kept of a catalog or a list.
class OfferRoom {
 public:
  /// Counts one more. Throws Error (bad input) that says the limit where there are more than
  /// kMostOffers, or their texts are longer than kMostOfferBytes.
  void take(const Offer& offer);

 private:
  std::size_t offers_ = 0;
  std::size_t bytes_ = 0;
};

/// Names a form in which others publish prices.
enum class PriceListFormat {
  skypilot,     // vms.csv of SkyPilot's catalogs
  vantage,      // instances.json of ec2instances.info
  gcp_pricing,  // pricing of google-cloud-pricing-cost-calculator as CSV, a row per region
  gpuhunt,      // CSV of dstack's gpuhunt
  cloud_gpus,   // The Full Stack's hand-kept cloud-gpus.csv
};

/// Says what a list may not say itself.
struct PriceListOrigin {
  std::string provider;  // empty = each row must name it
  std::string as_of;     // empty = each row must have its own date
  std::string source;
};

/// Holds what was read of a price list. Each row gives an offer for each of its terms, is merged
/// with an earlier one, or is counted in `refused`.
struct PriceList {
  std::vector<Offer> offers;
  std::int64_t rows = 0;
  std::int64_t merged = 0;                      // prices of a machine in another zone
  std::map<std::string, std::int64_t> refused;  // prices by reason
  std::map<std::string, std::int64_t>
      not_believed;                   // cells that were taken as not known, by reason
  std::vector<std::string> warnings;  // prices that are used but look wrong
};

/// Returns the format of that name ("gcp-pricing"). Throws Error (usage) for any other.
PriceListFormat price_list_format(std::string_view name);

/// Reads a price list. Columns are found by their names. Of the prices of one machine type, region
/// and terms, as of several zones, the lowest is kept. A price without date, or one that
/// why_not_valid() refuses, is counted and left out; one that is odd (odd_prices()) is kept with a
/// warning. A number of accelerators, of CPUs or a size that cannot be is taken as not known, and
/// counted. Throws Error (bad input) when the text is not of the format, as an HTML page is not,
/// and when it has more than kMostOffers.
PriceList read_price_list(PriceListFormat format, std::string_view text,
                          const PriceListOrigin& origin, Date today);

/// Returns a line for each offer whose price is more than a thousand times the median of its kind
/// of accelerator, or less than a thousandth of it, if it is not 0. The offers of `others` count in
/// the median, too.
std::vector<std::string> odd_prices(const std::vector<Offer>& offers,
                                    const std::vector<Offer>& others = {});

/// Returns the offers in lapcast's CSV form, which parse_catalog() reads back.
std::string catalog_csv(const std::vector<Offer>& offers);

}  // namespace lapcast

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "price/offer.h"

namespace lapcast {

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

/// Reads a price list. Columns are found by their names. Of the prices of one machine type, region
/// and terms, as of several zones, the lowest is kept. A price without date, or one that
/// why_not_valid() refuses, is counted and left out; one that is odd (odd_prices()) is kept with a
/// warning. A number of accelerators, of CPUs or a size that cannot be is taken as not known, and
/// counted. Throws Error (bad input) when the text is not of the format, as an HTML page is not,
/// and when it has more than kMostOffers.
PriceList read_price_list(PriceListFormat format, std::string_view text,
                          const PriceListOrigin& origin, Date today);

}  // namespace lapcast

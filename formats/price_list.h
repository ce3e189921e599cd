#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "price/offer.h"

namespace lapcast {

enum class PriceListFormat {
  skypilot,     // vms.csv of SkyPilot's catalogs
  vantage,      // instances.json of ec2instances.info
  gcp_pricing,  // pricing of google-cloud-pricing-cost-calculator as CSV, a row per region
  gpuhunt,      // CSV of dstack's gpuhunt
  cloud_gpus,   // The Full Stack's hand-kept cloud-gpus.csv
  azure,        // JSON of prices.azure.com, as the two below of the provider itself
  vast,         // JSON of the offers of vast.ai, as its command line prints them
  runpod,       // JSON of the GPU types that RunPod's GraphQL answers
};

/// Supplies what a list may leave out.
struct PriceListOrigin {
  std::string provider;  // empty = each row must name it
  std::string as_of;     // empty = each row must have its own date
  std::string source;
};

/// Holds the result of reading a price list. Each row gives an offer for each of its terms, is
/// merged with an earlier one, or is counted in `refused`.
struct PriceList {
  std::vector<Offer> offers;
  std::int64_t rows = 0;
  std::int64_t merged = 0;  // prices of a machine in another zone
  /// Counts the offers whose memory was that of all their accelerators together
  /// (settle_accelerator_memory()).
  std::size_t divided = 0;
  std::map<std::string, std::int64_t> refused;  // number of refused prices by reason
  std::map<std::string, std::int64_t>
      not_believed;                   // number of cells treated as not known, by reason
  std::vector<std::string> warnings;  // prices that are used but look wrong
};

/// Reads a price list. Columns are found by their names. If a machine type has several prices for
/// the same region and terms, such as one for each zone, the lowest is kept. A price without date,
/// or one that why_not_valid() refuses, is counted and left out; an odd one (odd_prices()) is kept
/// with a warning. An impossible size or number of accelerators or CPUs is treated as not known,
/// and counted. Throws Error (bad input) if the text is not in the format (such as an HTML page),
/// or has more than kMostOffers.
PriceList read_price_list(PriceListFormat format, std::string_view text,
                          const PriceListOrigin& origin, Date today);

}  // namespace lapcast

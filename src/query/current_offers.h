#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "price/offer.h"

namespace lapcast {

/// Limits the text of a price list, after decompression.
inline constexpr std::size_t kMostPriceListBytes = 256 << 20;

/// Returns the file with the prices that `lapcast catalog update` fetched, in lapcast's CSV format,
/// next to the default store. It may not exist.
std::filesystem::path updated_catalog_file();

/// Returns the offers of updated_catalog_file(); none if it does not exist. Throws Error (bad
/// input) if it is damaged or longer than an update writes it.
std::vector<Offer> updated_offers();

/// Returns the offers shipped with lapcast, parsed at each call.
std::vector<Offer> shipped_offers();

/// Returns the offers shipped with lapcast and those of updated_catalog_file(), the newest for each
/// machine type, region and terms; parsed at the first call.
const std::vector<Offer>& current_offers();

/// Returns the line of odd_prices() for a fetched offer; nullopt if its price is not odd.
std::optional<std::string> odd_fetched_price(const Offer& offer);

}  // namespace lapcast

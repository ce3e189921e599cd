#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "price/offer.h"

namespace lapcast {

/// Bounds the text of a price list, after decompression.
inline constexpr std::size_t kMostPriceListBytes = 256 << 20;

/// Returns the file with the prices that `lapcast catalog update` fetched, in lapcast's CSV form,
/// beside the default store. It may not exist.
std::filesystem::path updated_catalog_file();

/// Returns the offers of updated_catalog_file(); none where it does not exist. Throws Error (bad
/// input) where it is damaged or longer than an update writes it.
std::vector<Offer> updated_offers();

/// Returns the offers that came with lapcast, parsed at each call.
std::vector<Offer> shipped_offers();

/// Returns the offers that came with lapcast and those of updated_catalog_file(), the newest of
/// each machine type, region and terms; parsed when they are first asked for.
const std::vector<Offer>& current_offers();

/// Returns the line of odd_prices() for an offer that was fetched; nothing for one that is not odd.
std::optional<std::string> odd_fetched_price(const Offer& offer);

}  // namespace lapcast

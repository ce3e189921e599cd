#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "price/offer.h"

namespace lapcast {

/// Returns whether a name holds another one, whatever their case, blanks, hyphens and underscores:
/// "GeForce RTX-4090" holds "rtx 4090".
bool holds(std::string_view text, std::string_view wanted);

/// Says which offers are wanted. Texts match a part of the name, as holds() says; empty texts and
/// absent numbers match everything.
struct OfferFilter {
  std::string text;  // a part of the name, machine type, accelerator or provider
  std::string accelerator;
  std::string provider;
  std::string region;
  std::string terms;  // the whole name: "spot"
  std::optional<int> accelerator_count;
  std::optional<Money> most_per_hour;
  std::optional<std::int64_t> least_memory_bytes;              // of the machine
  std::optional<std::int64_t> least_accelerator_memory_bytes;  // of one accelerator
};

/// Returns the offers that match, the cheapest first and then by name. An offer whose memory is not
/// known does not match a least memory.
std::vector<const Offer*> matching_offers(std::span<const Offer> offers, const OfferFilter& filter);

/// Returns how many offers newest_of() returns.
std::size_t count_of_both(const std::vector<Offer>& first, const std::vector<Offer>& second);

/// Returns the offers of both lists without duplicates: of offers with the same provider, machine
/// type, region and terms, the one with the newest date, or that of `second` if the dates are
/// equal.
std::vector<Offer> newest_of(std::vector<Offer> first, std::vector<Offer> second);

}  // namespace lapcast

#pragma once

#include <cstddef>

#include "price/offer.h"

namespace lapcast {

/// Limits the offers of a catalog or a price list, so that reading and merging two of them takes
/// less than 1 GB of memory. The lists of all large providers together have about a third as many.
inline constexpr std::size_t kMostOffers = 400'000;
/// Limits the bytes of their texts likewise. A name and a source have some 100 bytes together.
inline constexpr std::size_t kMostOfferBytes = 128 << 20;

/// Throws Error (bad input) that names the limit if there are more than kMostOffers.
void check_offer_count(std::size_t count);

/// Counts the offers that are kept of a catalog or a list.
class OfferRoom {
 public:
  /// Counts one more. Throws Error (bad input) that names the limit if there are more than
  /// kMostOffers, or if their texts are longer than kMostOfferBytes.
  void take(const Offer& offer);

 private:
  std::size_t offers_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace lapcast

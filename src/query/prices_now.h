#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "price/offer.h"
#include "run/run.h"
#include "store/store.h"

namespace lapcast {

/// Knows by which offers runs may be priced: those with the name that a run asks for, and those for
/// its machine type. The runs must outlive it.
class OfferNames {
 public:
  explicit OfferNames(const std::vector<Run>& runs);
  bool include(const Offer& offer) const;

 private:
  std::vector<std::string_view> sorted_;
};

/// Gives the runs the prices that their fleet files say now: a price is not part of what was
/// measured. A run keeps its own where it was imported, or where its fleet file cannot be read or
/// does not know its machine any more. Returns a line for each file that cannot be read.
std::vector<std::string> take_fleet_prices(const Store& store, std::vector<Run>& runs);

/// Holds offers, and what people have to know of them.
struct FoundPrices {
  std::vector<Offer> offers;
  std::vector<std::string> notes;
};

/// Returns for each machine type of the runs that has neither a price nor one of `offers` the
/// cheapest offer on demand whose machine type has the same name, of the catalogs that count where
/// none is named. A note says where they come from and of when they are. Throws Error (bad input)
/// where a catalog cannot be read.
FoundPrices catalog_prices(const std::vector<Run>& runs, const std::vector<Offer>& offers,
                           const std::string& own_prices);

/// Returns a line where some of the offers that price one of the runs are older than a year, with
/// the oldest date; none otherwise.
std::vector<std::string> age_of_prices(const std::vector<Run>& runs,
                                       const std::vector<Offer>& offers);

}  // namespace lapcast

#pragma once

#include <string>
#include <vector>

#include "fleet/fleet_file.h"
#include "price/offer.h"

namespace lapcast {

/// Returns the bytes of a file. Throws Error (bad input) that calls it `what` when it cannot be
/// read.
std::string read_file(const std::string& file, const std::string& what);

/// Returns a fleet file as it is written.
Fleet read_fleet_file(const std::string& file);

/// Returns the fleet with its entries for every node type replaced by their machines, as the
/// clusters report them now.
Fleet with_nodes(const Fleet& fleet);

/// Holds the offers of catalogs, with a line for each rejected row and each catalog of old prices.
struct CatalogOffers {
  std::vector<Offer> offers;
  std::vector<std::string> warnings;
};

/// Reads catalog files; without files those of $LAPCAST_CATALOG, else those installed with lapcast,
/// else those that are part of it. Throws Error (bad input) when a file cannot be read.
CatalogOffers read_catalogs(const std::vector<std::string>& files);

}  // namespace lapcast

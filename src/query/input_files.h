#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "fleet/fleet_file.h"
#include "price/currency.h"
#include "price/offer.h"
#include "price/own_prices.h"
#include "store/store.h"

namespace lapcast {

// Limit the bytes that are read from a file written by hand, and from one with data.
inline constexpr std::size_t kMostWritten = std::size_t{16} << 20;
inline constexpr std::size_t kMostData = std::size_t{256} << 20;

/// Returns the bytes of a file. Throws Error (bad input), which calls the file `what`, if it cannot
/// be read or is larger than `most` bytes; the size is checked before reading.
std::string read_file(const std::string& file, const std::string& what,
                      std::size_t most = kMostData);

/// Returns the path of a file in the user's configuration folder: $XDG_CONFIG_HOME, else ~/.config;
/// empty without both.
std::string in_config_folder(std::string_view name);

/// Returns a fleet file as it is written. Its prices and messages call it `name`, or the file.
Fleet read_fleet_file(const std::string& file, const std::string& name = "");

/// Returns the fleet with its entries for every node type replaced by their machines, as the
/// clusters report them now.
Fleet with_nodes(const Fleet& fleet);

/// Returns the catalogs to use if none is named: those of $LAPCAST_CATALOG, else those installed
/// with the binary, else the name of the one that is part of the binary.
std::vector<std::string> default_catalog_files();

/// Holds the offers of catalogs, with a line for each rejected row and each catalog of old prices.
struct CatalogOffers {
  std::vector<Offer> offers;
  std::vector<std::string> warnings;
  std::map<std::string, ForeignPrice> foreign;  // as listed in another currency, by offer
};

/// Reads the user's own prices from the file `named`; if that is empty, from $LAPCAST_PRICES, else
/// lapcast-prices.toml in $XDG_CONFIG_HOME or ~/.config, which may be absent. Throws Error (bad
/// input) if the file cannot be used.
OwnPrices read_own_prices(const std::string& named);

/// Reads catalog files as they are, except that prices in the currencies of `own` are converted;
/// without files reads those of default_catalog_files() and, unless LAPCAST_CATALOG names some,
/// current_offers(). Throws Error (bad input) if a file cannot be read.
CatalogOffers read_listed_catalogs(const std::vector<std::string>& files, const OwnPrices& own);

/// Reads catalogs by read_listed_catalogs(), at the prices that the user pays: changed by
/// read_own_prices(own_prices). Every command that prices a training reads offers this way.
CatalogOffers read_catalogs(const std::vector<std::string>& files, const std::string& own_prices);

/// Returns the machine of that name in a fleet. If there is none, throws Error (usage) that names
/// the option --to and the fleet file.
const FleetMachine& find_machine(const Fleet& fleet, const std::string& name,
                                 const std::string& file);

/// Finds the machines of stored runs in the current version of their fleet files, because the store
/// keeps only names. Each file is read, and its clusters are asked for their nodes, once.
class FleetLookup {
 public:
  /// Uses the file `named`, unless it is empty, instead of that of a run's sweep.
  explicit FleetLookup(const Store& store, std::string named = "");

  /// Returns the machine of a run. Returns the reason if the file cannot be read or has no such
  /// machine, or if the run was imported: imports do not choose a fleet file.
  Result<FleetMachine> machine_of(const Run& run);
  /// Returns the place of a run's machine, to run its program there again; the default for a run of
  /// this machine. Throws Error (bad input) if the fleet file no longer has that place.
  PlaceSetup place_setup_of(const Run& run);
  /// Returns the fleet file of a run; an empty name if the run belongs to no sweep over a fleet.
  std::string file_of(const Run& run) const;

 private:
  std::string named_;
  std::map<std::string, std::string> file_of_sweep_;
  std::map<std::string, Fleet> fleets_;  // by file
};

}  // namespace lapcast

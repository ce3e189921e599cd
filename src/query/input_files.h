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

// The most bytes that are read of a file that somebody writes by hand, and of one with data.
inline constexpr std::size_t kMostWritten = std::size_t{16} << 20;
inline constexpr std::size_t kMostData = std::size_t{256} << 20;

/// Returns the bytes of a file. Throws Error (bad input) that calls it `what` when it cannot be
/// read, or is larger than `most` bytes; that is looked at before it is read.
std::string read_file(const std::string& file, const std::string& what,
                      std::size_t most = kMostData);

/// Returns the path of a file in the user's folder of configuration: in $XDG_CONFIG_HOME, else in
/// ~/.config; empty without both.
std::string in_config_folder(std::string_view name);

/// Returns a fleet file as it is written.
Fleet read_fleet_file(const std::string& file);

/// Returns the fleet with its entries for every node type replaced by their machines, as the
/// clusters report them now.
Fleet with_nodes(const Fleet& fleet);

/// Returns the catalogs that count where none is named: those of $LAPCAST_CATALOG, else those
/// installed beside the binary, else the name of the one that is part of the binary.
std::vector<std::string> default_catalog_files();

/// Holds the offers of catalogs, with a line for each rejected row and each catalog of old prices.
struct CatalogOffers {
  std::vector<Offer> offers;
  std::vector<std::string> warnings;
  std::map<std::string, ForeignPrice> foreign;  // as listed in another currency, by offer
};

/// Reads the user's own prices: the file `named`; where that is empty that of $LAPCAST_PRICES, else
/// lapcast-prices.toml in $XDG_CONFIG_HOME or ~/.config, which may be absent. Throws Error (bad
/// input) where the file cannot be used.
OwnPrices read_own_prices(const std::string& named);

/// Reads catalog files as they are, but for prices in the currencies of `own`, which are
/// converted; without files those of default_catalog_files() and, unless LAPCAST_CATALOG names
/// some, current_offers(). Throws Error (bad input) when a file cannot be read.
CatalogOffers read_listed_catalogs(const std::vector<std::string>& files, const OwnPrices& own);

/// Reads catalogs by read_listed_catalogs(), at the prices that the user pays: changed by
/// read_own_prices(own_prices). Every command that prices a training reads its offers here.
CatalogOffers read_catalogs(const std::vector<std::string>& files, const std::string& own_prices);

/// Returns the machine of that name in a fleet. Throws Error (usage) that names the option --to and
/// the fleet's file when there is none.
const FleetMachine& find_machine(const Fleet& fleet, const std::string& name,
                                 const std::string& file);

/// Finds the machines of stored runs in their fleet files as these are now: the store keeps only
/// names. A file is read, and its clusters are asked for their nodes, once.
class FleetLookup {
 public:
  /// Looks in the file `named` instead of that of a run's sweep, unless it is empty.
  explicit FleetLookup(const Store& store, std::string named = "");

  /// Returns the machine of a run. Returns the reason where the file cannot be read, or has no such
  /// machine, or the run was imported: what was imported does not choose a fleet file.
  Result<FleetMachine> machine_of(const Run& run);
  /// Returns where a run's machine is, to run its program on it again; the default for a run of
  /// this machine. Throws Error (bad input) when the fleet file does not know that place any more.
  PlaceSetup place_setup_of(const Run& run);
  /// Returns the fleet file of a run; an empty name when the run belongs to no sweep over a fleet.
  std::string file_of(const Run& run) const;

 private:
  std::string named_;
  std::map<std::string, std::string> file_of_sweep_;
  std::map<std::string, Fleet> fleets_;  // by file
};

}  // namespace lapcast

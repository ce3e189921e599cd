#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fleet/fleet.h"
#include "machine/place.h"
#include "toml/fleet_section.h"

namespace lapcast {

/// Reads [[data]] of a fleet file: what the program reads on every remote machine. Throws Error
/// (bad input) for a path that leaves the program's folder by "..", and for one that occurs twice.
std::vector<DataSet> read_data_sets(const FleetSection& root);

/// Reads a number of bytes, such as "1.2 GB". Throws Error (bad input) for any other text.
std::int64_t read_size(const FleetSection& section, std::string_view key);

/// Reads where a [[machine]] is, by `host` or [machine.slurm], and what it needs. Throws Error (bad
/// input) for both at once, for keys that only remote machines have, for a host that ssh would take
/// for an option, and for keys of this machine's CPUs with Slurm.
PlaceSetup read_place_setup(const FleetSection& machine, const std::vector<DataSet>& data);

/// Holds what [prices] sets for every price in the file that does not set it itself.
struct PriceDefaults {
  std::string as_of;
  std::string source;
  Billing billing;
  OtherPrices other;
  std::int64_t boot_ns = 0;
};

/// Reads [prices]. Without a date there, prices are of the day `changed`, or of today if that is
/// empty; without a source, the file is the source. Throws Error (bad input).
PriceDefaults read_price_defaults(const FleetSection& root, const std::string& changed);

/// Fills in offer_name or offer from `price`, `offer` or [machine.owned], if one of them is given.
/// Throws Error (bad input) for more than one.
void read_price(const FleetSection& section, const PriceDefaults& defaults, FleetMachine& machine);

/// Checks that the offer that a machine names is one of `offers`, or the machine type of one, and
/// gives it the spelling that it has in `offers`, and the machine the GPUs of that offer. Throws
/// Error (bad input) with the nearest name; `file` is for the message only.
void take_offers(Fleet& fleet, const std::vector<Offer>& offers, const std::string& file);

}  // namespace lapcast

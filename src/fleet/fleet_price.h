#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fleet/fleet_file.h"
#include "fleet/fleet_section.h"

namespace lapcast {

/// Holds what [prices] says for every price in the file that does not say otherwise.
struct PriceDefaults {
  std::string as_of;
  std::string source;
  Billing billing;
  std::int64_t boot_ns = 0;
};

PriceDefaults read_price_defaults(const FleetSection& root);

/// Fills in offer_name or offer from exactly one of price, offer and [machine.owned]. Throws Error
/// (bad input) when it is not one, or a price lacks its date or source.
void read_price(const FleetSection& section, const PriceDefaults& defaults, FleetMachine& machine);

/// Checks that each machine which names an offer names one of `offers`, or the machine type of one.
/// Throws Error (bad input) with the nearest name; `file` is for the message only.
void check_offers(const Fleet& fleet, const std::vector<Offer>& offers, const std::string& file);

}  // namespace lapcast

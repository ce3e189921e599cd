#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/money.h"
#include "lease/adapter_answer.h"
#include "price/offer.h"

namespace lapcast {

/// Returns an amount above 0 in whole cents, rounded up: "2.41".
std::string in_whole_cents(Money amount);

/// Describes a machine that can be rented, for a fleet file.
struct RentableMachine {
  std::string name;  // in the fleet file
  std::string by;    // the adapter
  std::string type;  // as the provider calls it
  std::string region;
  bool spot = false;
  HourlyPrice price;
  std::string offer;  // in a catalog; empty = the price is the adapter's own
  std::string as_of;  // date of a catalog's price
  std::string gpu;    // empty = none
  std::optional<double> vcpus = {};
  int gpus = 1;                      // how many of `gpu` it has
  std::optional<Money> egress = {};  // per GB, as the adapter says
};

/// Returns the catalog's name of the provider that an adapter rents from; empty when it has none.
std::string catalog_provider_of(const std::string& adapter);

/// Returns for each GPU the cheapest on-demand machine with one of it, among the offers of catalogs
/// whose provider one of the adapters rents from. GPUs are compared by the words of their names
/// that have digits. GPUs without an offer are added to `lacking`.
std::vector<RentableMachine> cheapest_machines(std::span<const Offer> offers,
                                               const std::vector<std::string>& adapters,
                                               const std::vector<std::string>& gpus,
                                               std::vector<std::string>& lacking);

/// Returns the machines of the offers that an adapter itself tells, with the same choice of GPUs;
/// without GPUs the cheapest offer of each type.
std::vector<RentableMachine> cheapest_machines(const std::vector<AdapterOffer>& offers,
                                               const std::string& adapter,
                                               const std::vector<std::string>& gpus,
                                               std::vector<std::string>& lacking);

/// Returns a fleet file that rents these machines, with comments that say what it means.
std::string rent_fleet_text(const std::vector<RentableMachine>& machines);

}  // namespace lapcast

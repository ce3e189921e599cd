#include "campaign/rent_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "core/units.h"
#include "lease/adapter.h"
#include "lease/lease_cost.h"

namespace lapcast {
namespace {

struct AskedAdapter {
  AdapterResult<AdapterDescription> description;
  AdapterResult<std::vector<AdapterOffer>> offers;
};

/// Says what an adapter is asked for.
struct AdapterQuestion {
  std::vector<std::string> types;
  std::vector<std::string> regions;
  bool has_other_places = false;  // a machine names no region: any may be meant
};

/// Returns what each adapter of these machines is asked for.
template <class Machines>
std::map<std::string, AdapterQuestion> questions_of(const Machines& machines) {
  std::map<std::string, AdapterQuestion> questions;
  for (const MachineToRent* wanted : machines) {
    const LeaseOrder& order = wanted->order.lease;
    AdapterQuestion& question = questions[order.adapter];
    question.types.push_back(order.type);
    if (order.region.empty()) question.has_other_places = true;
    if (std::ranges::find(question.regions, order.region) == question.regions.end())
      question.regions.push_back(order.region);
  }
  return questions;
}

std::string request_of(const AdapterQuestion& question) {
  return offers_request(question.types,
                        question.has_other_places ? std::vector<std::string>{} : question.regions);
}

AskedAdapter ask(const std::string& name, const AdapterQuestion& question) {
  const auto file = find_adapter(name);
  if (!file) {
    const tl::unexpected<AdapterError> absent(
        AdapterError{RentRefusal::unclear, file.error().text});
    return {absent, absent};
  }
  return {ask_adapter(*file, "describe", "{}").and_then(parse_description),
          ask_adapter(*file, "offers", request_of(question)).and_then(parse_offers)};
}

/// Returns whether an offer of an adapter is for a machine. Places that either leaves open match.
bool is_for(const AdapterOffer& offer, const MachineToRent& wanted) {
  const LeaseOrder& order = wanted.order.lease;
  const auto& zones = wanted.order.zones;
  const bool is_zone =
      zones.empty() || offer.zone.empty() || std::ranges::find(zones, offer.zone) != zones.end();
  const bool is_region =
      order.region.empty() || offer.region.empty() || order.region == offer.region;
  return offer.type == order.type && offer.spot == order.spot && is_zone && is_region;
}

/// Returns the price of egress of an order: its own, else the highest of the matching offers.
std::optional<Money> egress_price(const std::vector<AdapterOffer>& offers,
                                  const MachineToRent& wanted) {
  std::optional<Money> price = wanted.order.lease.egress;
  if (price) return price;
  for (const AdapterOffer& offer : offers)
    if (is_for(offer, wanted)) price = std::max(price, offer.egress);
  return price;
}

/// Takes the lowest price of the matching offers, and says what is wrong with them.
void take_offers_of(const std::vector<AdapterOffer>& offers, const MachineToRent& wanted,
                    RentCheckRow& row) {
  bool found = false, any_free = false;
  for (const AdapterOffer& offer : offers) {
    if (!is_for(offer, wanted)) continue;
    found = true;
    any_free = any_free || offer.available.value_or(true);
    if (offer.price && (!row.usd_per_hour || offer.price->per_hour < *row.usd_per_hour))
      row.usd_per_hour = offer.price->per_hour;
  }
  if (!found)
    row.problem = fmt::format("{} has no {}{} there", row.by,
                              wanted.order.lease.spot ? "spot " : "", printable(row.type));
  else if (!any_free)
    row.problem = "none is to be had just now, or the account's quota is 0";
  else if (row.usd_per_hour && *row.usd_per_hour > row.most_per_hour)
    row.problem =
        fmt::format("it costs {} an hour now, more than max_price", dollar_text(*row.usd_per_hour));
}

RentCheckRow check(const MachineToRent& wanted, const AskedAdapter& asked, bool unprotected) {
  LeaseOrder order = wanted.order.lease;
  if (asked.offers) order.egress = egress_price(*asked.offers, wanted);
  RentCheckRow row{order.name,          order.adapter, order.type,       {},
                   order.most.per_hour, order.egress,  worst_cost(order)};
  if (!asked.description) {
    row.problem = asked.description.error().text;
    return row;
  }
  const Protection protection = protection_of(*asked.description);
  row.protected_by = protection == Protection::provider ? asked.description->name
                                                        : std::string(name_of(protection));
  if (protection == Protection::this_computer && !unprotected)
    row.problem = fmt::format(
        "nothing but this computer would end it ({} has no deadline); --unprotected rents it all "
        "the same",
        asked.description->name);
  else if (order.term < asked.description->min_term)
    row.problem = fmt::format("{} rents for at least {}; raise max_time", asked.description->name,
                              format_duration(asked.description->min_term));
  else if (!asked.offers)
    row.problem =
        fmt::format("{}: {}", name_of(asked.offers.error().refusal), asked.offers.error().text);
  else
    take_offers_of(*asked.offers, wanted, row);
  return row;
}

}  // namespace

std::vector<RentCheckRow> rent_check(const RentPlan& plan, bool unprotected) {
  std::vector<const MachineToRent*> machines;
  for (const MachineToRent& wanted : plan.machines) machines.push_back(&wanted);
  std::map<std::string, AskedAdapter> asked;
  for (const auto& [adapter, question] : questions_of(machines))
    asked.emplace(adapter, ask(adapter, question));
  std::vector<RentCheckRow> rows;
  for (const MachineToRent& wanted : plan.machines)
    rows.push_back(check(wanted, asked.at(wanted.order.lease.adapter), unprotected));
  return rows;
}

void take_told_egress(const std::vector<MachineToRent*>& machines) {
  std::vector<MachineToRent*> lacking;
  std::ranges::copy_if(machines, std::back_inserter(lacking),
                       [](const MachineToRent* wanted) { return !wanted->order.lease.egress; });
  for (const auto& [adapter, question] : questions_of(lacking)) {
    const auto file = find_adapter(adapter);
    if (!file) continue;
    const auto offers = ask_adapter(*file, "offers", request_of(question)).and_then(parse_offers);
    for (MachineToRent* wanted : lacking)
      if (offers && wanted->order.lease.adapter == adapter)
        wanted->order.lease.egress = egress_price(*offers, *wanted);
  }
}

}  // namespace lapcast

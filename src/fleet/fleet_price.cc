#include "fleet/fleet_price.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "core/units.h"
#include "price/offer_check.h"
#include "probe/ids_and_time.h"

namespace lapcast {
namespace {

/// Reads a date as text "2026-11-20" or "2026-11", or as TOML's own date.
std::string read_date(const FleetSection& section) {
  const TomlNode& node = section.value("as_of");
  const std::string text = node.kind == TomlNode::Kind::date ? node.text : section.text("as_of");
  if (!parse_date(text)) {
    section.fail("as_of", "'" + printable(text, 40) + "' is no date; write such as \"2026-11-20\"");
  }
  return text;
}

/// Reads the keys that may stand in [prices] and in a [[machine]] with a price of its own.
PriceDefaults read_terms(const FleetSection& section, PriceDefaults terms) {
  if (section.has("as_of")) terms.as_of = read_date(section);
  if (section.has("source")) terms.source = section.text("source");
  if (section.has("billing_step")) terms.billing.step_ns = section.duration_ns("billing_step");
  if (section.has("billing_minimum")) {
    terms.billing.minimum_ns = section.duration_ns("billing_minimum");
  }
  if (section.has("boot")) terms.boot_ns = section.duration_ns("boot");
  return terms;
}

void refuse_keys(const FleetSection& section, std::initializer_list<std::string_view> keys,
                 const std::string& why) {
  for (const std::string_view key : keys) {
    if (section.has(key)) section.fail(key, why);
  }
}

Owned read_owned(const FleetSection& section) {
  section.allow_only(
      {"purchase", "years", "utilisation", "power_kw", "usd_per_kwh", "running_usd_per_year"});
  Owned owned;
  owned.purchase = section.money("purchase");
  owned.years = section.number("years", 0.01, 100);
  if (section.has("utilisation")) owned.utilisation = section.number("utilisation", 0.0001, 1);
  if (section.has("power_kw")) owned.power_kw = section.number("power_kw", 0, 1e6);
  if (section.has("usd_per_kwh")) owned.price_per_kwh = section.money("usd_per_kwh");
  if (section.has("running_usd_per_year")) {
    owned.running_cost_per_year = section.money("running_usd_per_year");
  }
  if (section.has("power_kw") != section.has("usd_per_kwh")) {
    section.fail("power_kw and usd_per_kwh go together; write both or none");
  }
  return owned;
}

void read_own_price(const FleetSection& section, Offer& offer) {
  if (!section.has("owned")) {
    offer.price = {section.money("price")};
    return;
  }
  refuse_keys(section, {"billing_step", "billing_minimum"},
              "an owned machine is not billed in steps; leave it out");
  const Owned owned = read_owned(section.section("owned"));
  offer.terms = owned;
  offer.price = section.at("owned", [&owned] { return hourly_price(owned); });
  offer.billing = {0, 0};
}

}  // namespace

PriceDefaults read_price_defaults(const FleetSection& root) {
  const TomlNode::Key* prices = root.table().find("prices");
  if (!prices) return {};
  const FleetSection section(prices->value, "[prices]", root.file());
  section.allow_only({"as_of", "source", "billing_step", "billing_minimum", "boot"});
  return read_terms(section, {});
}

void read_price(const FleetSection& section, const PriceDefaults& defaults, FleetMachine& machine) {
  const int ways = section.has("price") + section.has("offer") + section.has("owned");
  const std::string who = "machine '" + printable(machine.type.name) + "' has ";
  if (ways == 0) section.fail(who + "no price; add price, offer or [machine.owned]");
  if (ways > 1) section.fail(who + "several of price, offer and [machine.owned]; keep one");
  if (section.has("offer")) {
    refuse_keys(section, {"billing_step", "billing_minimum", "boot", "as_of", "source"},
                "the catalog says it of the offer; leave it out");
    machine.offer_name = section.text("offer");
    return;
  }
  const PriceDefaults terms = read_terms(section, defaults);
  if (terms.as_of.empty() || terms.source.empty()) {
    section.fail(who + "a price without " + (terms.as_of.empty() ? "date (as_of)" : "source") +
                 "; add it to the machine or to [prices]");
  }
  Offer offer;
  offer.name = offer.machine_type = machine.type.name;
  offer.provider = "fleet file";
  offer.billing = terms.billing;
  offer.boot_ns = terms.boot_ns;
  offer.as_of = terms.as_of;
  offer.source = terms.source;
  read_own_price(section, offer);
  if (const auto reason = why_not_valid(offer, today()))
    section.fail(who + "a price that cannot be: " + reason->text);
  machine.offer = offer;
}

void check_offers(const Fleet& fleet, const std::vector<Offer>& offers, const std::string& file) {
  std::vector<std::string_view> names;
  for (const Offer& offer : offers) {
    names.push_back(offer.name);
    names.push_back(offer.machine_type);
  }
  for (const FleetMachine& machine : fleet.machines) {
    const std::string& wanted = machine.offer_name;
    if (wanted.empty() || std::find(names.begin(), names.end(), wanted) != names.end()) continue;
    const std::string_view nearest = nearest_name(wanted, names);
    throw Error(
        ExitCode::bad_input,
        fmt::format("{}: machine '{}': no catalog has the offer '{}'; {}", printable(file),
                    printable(machine.type.name), printable(wanted),
                    nearest.empty() ? "name the catalog that has it with --offers FILE.csv"
                                    : fmt::format("did you mean '{}'?", printable(nearest))));
  }
}

}  // namespace lapcast

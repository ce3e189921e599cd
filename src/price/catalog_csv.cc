#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/money.h"
#include "core/units.h"
#include "price/catalog.h"

namespace lapcast {
namespace {

/// Returns the field in quotes where RFC 4180 needs them.
std::string quoted(std::string_view text) {
  const bool has_edge = !text.empty() && (text.front() == ' ' || text.back() == ' ');
  if (!has_edge && text.find_first_of(",\"\r\n") == std::string_view::npos)
    return std::string(text);
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
}

std::string gib(const std::optional<std::int64_t>& bytes) {
  return bytes ? fmt::format("{:.6g}", static_cast<double>(*bytes) / 1073741824.0) : "";
}

/// Returns "1s" for a time in nanoseconds, or an empty cell if the time is `when_empty`.
std::string seconds_text(std::int64_t ns, std::int64_t when_empty) {
  return ns == when_empty ? "" : fmt::format("{}s", static_cast<double>(ns) / 1e9);
}

/// Returns the billing step of a row without one.
std::int64_t usual_step(const Offer& offer) {
  return std::holds_alternative<Owned>(offer.terms) ? 0 : Billing{}.step_ns;
}

/// Returns the cells of the terms: price, terms, those of owned, spot and reserved machines.
std::string terms_cells(const Offer& offer) {
  std::string price = exact_decimal(offer.price.per_hour);
  std::string utilisation;
  std::string owned = ",,,,";
  std::string spot = ",";
  std::string reserved = ",";
  if (const auto* terms = std::get_if<Owned>(&offer.terms)) {
    price.clear();
    utilisation = fmt::format("{}", terms->utilisation);
    owned = fmt::format("{},{},{},{},{}", exact_decimal(terms->purchase), terms->years,
                        terms->power_kw, exact_decimal(terms->price_per_kwh),
                        exact_decimal(terms->running_cost_per_year));
  } else if (const auto* interrupted = std::get_if<Spot>(&offer.terms)) {
    const auto& hours = interrupted->hours_between_interruptions;
    const auto& notice = interrupted->notice_s;
    spot = fmt::format("{},{}", hours ? fmt::format("{}", *hours) : "",
                       notice ? fmt::format("{}s", *notice) : "");
  } else if (const auto* term = std::get_if<Reserved>(&offer.terms)) {
    price = exact_decimal(term->per_hour);
    utilisation = fmt::format("{}", term->utilisation);
    reserved = fmt::format("{},{}", term->months, exact_decimal(term->up_front));
  }
  return fmt::format("{},{},{},{},{},{}", price, name_of(offer.terms), utilisation, owned, spot,
                     reserved);
}

/// Returns the cells of the other prices, each with a comma before it.
std::string other_cells(const OtherPrices& other) {
  std::string cells;
  for (const Money amount : {other.licence.per_hour, other.storage_per_gb_month,
                             other.snapshots_per_gb_month, other.egress_per_gb})
    cells += "," + (amount == Money{} ? std::string() : exact_decimal(amount));
  return cells + "," + (other.tax > 0 ? fmt::format("{}", other.tax) : "");
}

}  // namespace

std::string catalog_csv(const std::vector<Offer>& offers) {
  std::string csv =
      "name,provider,service,machine_type,region,accelerator,accelerator_count,vcpus,memory_gib,"
      "accelerator_memory_gib,price_usd_per_hour,terms,utilisation,purchase_usd,years,power_kw,"
      "usd_per_kwh,running_usd_per_year,interruption_hours,notice,term_months,up_front_usd,"
      "billing_step,billing_minimum,boot,as_of,source";
  // Most lists have no other prices, so these columns are written only if they are needed.
  const bool any_other =
      std::ranges::any_of(offers, [](const Offer& offer) { return offer.other != OtherPrices{}; });
  if (any_other)
    csv +=
        ",licence_usd_per_hour,storage_usd_per_gb_month,snapshots_usd_per_gb_month,"
        "egress_usd_per_gb,tax";
  csv += "\n";
  for (const Offer& offer : offers) {
    for (const std::string* text : {&offer.name, &offer.provider, &offer.service,
                                    &offer.machine_type, &offer.region, &offer.accelerator})
      csv += quoted(*text) + ",";
    fmt::format_to(std::back_inserter(csv), "{},{},{},{},{},{},{},{},{},{}{}\n",
                   offer.accelerator_count > 0 ? fmt::format("{}", offer.accelerator_count) : "",
                   offer.vcpus ? fmt::format("{}", *offer.vcpus) : "", gib(offer.memory_bytes),
                   gib(offer.accelerator_memory_bytes), terms_cells(offer),
                   seconds_text(offer.billing.step_ns, usual_step(offer)),
                   seconds_text(offer.billing.minimum_ns, 0), seconds_text(offer.boot_ns, 0),
                   offer.as_of, quoted(offer.source), any_other ? other_cells(offer.other) : "");
  }
  return csv;
}

}  // namespace lapcast

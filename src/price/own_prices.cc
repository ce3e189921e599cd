#include "price/own_prices.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

#include "core/error.h"
#include "core/nearest_name.h"
#include "core/units.h"

namespace lapcast {
namespace {

constexpr std::int64_t kWhole = 100'000'000'000;  // 100 % in billionths of a percent
constexpr std::int64_t kHourSeconds = 3600;
constexpr std::size_t kMostSourceBytes = 1000;

/// Returns the amount less a share of it, rounded half to even.
Money less(Money amount, ExactPercent percent) {
  // cost_of() divides by the 3.6e12 ns of an hour, which is 36 times 100 % in billionths.
  return cost_of({amount}, (kWhole - percent.billionths) * (kHourSeconds / 100));
}

bool begins_with(std::string_view text, std::string_view beginning) {
  return text.size() >= beginning.size() &&
         is_same_name(text.substr(0, beginning.size()), beginning);
}

void add_to_source(Offer& offer, const std::string& what) {
  if (offer.source.size() + what.size() + 2 <= kMostSourceBytes) offer.source += "; " + what;
}

/// Sets the price per hour of use; for a reservation, that of its terms.
void set_price(Offer& offer, Money per_hour) {
  auto* const reserved = std::get_if<Reserved>(&offer.terms);
  if (reserved) reserved->per_hour = per_hour;
  offer.price = reserved ? hourly_price(*reserved) : HourlyPrice{per_hour};
}

void override_offer(const PriceOverride& own, Offer& offer, std::vector<PriceStep>* steps) {
  if (own.per_hour) {
    if (std::holds_alternative<Owned>(offer.terms))
      throw Error(ExitCode::bad_input, "the price of owned hardware follows from its terms");
    set_price(offer, *own.per_hour);
  }
  offer.billing.step_ns = own.step_ns.value_or(offer.billing.step_ns);
  offer.billing.minimum_ns = own.minimum_ns.value_or(offer.billing.minimum_ns);
  offer.boot_ns = own.boot_ns.value_or(offer.boot_ns);
  if (!own.as_of.empty()) offer.as_of = own.as_of;
  if (!own.source.empty()) offer.source = own.source;
  if (!own.per_hour) add_to_source(offer, "billing by " + own.place);
  if (steps == nullptr) return;
  std::string what = own.per_hour ? "own price" : "own billing";
  if (own.listed)
    what = fmt::format("own price of {} {}", exact_decimal(own.listed->per_hour),
                       own.listed->currency);
  steps->push_back({"override", what, own.per_hour ? offer.source + ", " + own.place : own.place,
                    own.as_of, offer.price.per_hour});
}

void discount_offer(const Discount& discount, Offer& offer, std::vector<PriceStep>* steps) {
  if (auto* const reserved = std::get_if<Reserved>(&offer.terms)) {
    reserved->up_front = less(reserved->up_front, discount.percent);
    set_price(offer, less(reserved->per_hour, discount.percent));
  } else {
    set_price(offer, less(offer.price.per_hour, discount.percent));
  }
  const std::string what =
      fmt::format("{} % off{}", to_string(discount.percent),
                  discount.name.empty() ? std::string() : ": " + discount.name);
  add_to_source(offer, what);
  if (steps != nullptr)
    steps->push_back({"discount", what, discount.place, "", offer.price.per_hour});
}

bool changes(const OwnPrices& own, const Offer& offer) {
  return (own.tax > 0 && offer.other.tax <= 0) || own.overrides.contains(offer.name) ||
         std::ranges::any_of(own.discounts, [&](auto& each) { return is_for(each, offer); });
}

/// Returns lines for overrides and discounts that are for no offer.
std::vector<std::string> without_effect(const OwnPrices& own, const std::vector<Offer>& offers) {
  std::vector<std::string> lines;
  for (const auto& [name, price] : own.overrides)
    if (std::ranges::find(offers, name, &Offer::name) == offers.end())
      lines.push_back(
          fmt::format("{}: no catalog has an offer '{}'; `lapcast catalog --find TEXT` "
                      "lists them",
                      price.place, printable(name, 100)));
  for (const Discount& discount : own.discounts)
    if (std::ranges::none_of(offers, [&](const Offer& offer) { return is_for(discount, offer); }))
      lines.push_back(
          fmt::format("{}: this discount is for no offer of the catalogs", discount.place));
  return lines;
}

}  // namespace

bool is_currency_code(std::string_view text) {
  return text.size() == 3 && std::ranges::all_of(text, [](char c) { return c >= 'A' && c <= 'Z'; });
}

Money in_usd(Money amount, const CurrencyRate& rate) {
  // cost_of() divides by the 3600e9 ns of an hour: 3600 times the nano-dollars of a dollar.
  return cost_of({amount}, rate.usd.nanos() * kHourSeconds);
}

std::string to_string(ExactPercent percent) {
  return exact_decimal(Money::from_nanos(percent.billionths));
}

bool is_for(const Discount& discount, const Offer& offer) {
  const auto* const reserved = std::get_if<Reserved>(&offer.terms);
  const std::string_view terms = name_of(offer.terms);
  const bool has_terms = discount.terms.empty() ? terms == "on-demand" || terms == "reserved"
                                                : terms == discount.terms;
  const bool has_months = !discount.months || (reserved && reserved->months == *discount.months);
  return has_terms && has_months && terms != "owned" &&
         (discount.provider.empty() || is_same_name(discount.provider, offer.provider)) &&
         (discount.family.empty() || begins_with(offer.machine_type, discount.family) ||
          is_same_name(discount.family, offer.accelerator));
}

Offer own_offer(const OwnPrices& own, Offer offer, std::vector<PriceStep>* steps) {
  const auto found = own.overrides.find(offer.name);
  if (found != own.overrides.end()) override_offer(found->second, offer, steps);
  const bool is_final = found != own.overrides.end() && found->second.per_hour;
  for (const Discount& discount : own.discounts)
    if (!is_final && is_for(discount, offer)) discount_offer(discount, offer, steps);
  if (own.tax <= 0 || offer.other.tax > 0) return offer;
  offer.other.tax = own.tax;
  if (steps != nullptr)
    steps->push_back({"tax",
                      fmt::format("{:.7g} % of everything billed, beside the price", 100 * own.tax),
                      own.tax_place, "", offer.price.per_hour});
  return offer;
}

std::vector<PriceStep> price_steps(const OwnPrices& own, const Offer& listed,
                                   const ForeignPrice* foreign) {
  std::vector<PriceStep> steps;
  const Money usd = listed.price.per_hour;
  std::string what =
      std::holds_alternative<Owned>(listed.terms) || std::holds_alternative<Reserved>(listed.terms)
          ? "by its terms"
          : fmt::format("{} USD", exact_decimal(usd));
  if (foreign) what = fmt::format("{} {}", exact_decimal(foreign->per_hour), foreign->currency);
  steps.push_back(
      {"listed", what, listed.source, listed.as_of, foreign ? std::nullopt : std::optional(usd)});
  if (foreign) {
    const CurrencyRate& rate = own.currencies.at(foreign->currency);
    steps.push_back({"currency",
                     fmt::format("{} USD per {}", exact_decimal(rate.usd), foreign->currency),
                     rate.source, rate.as_of, usd});
  }
  own_offer(own, listed, &steps);
  return steps;
}

std::vector<std::string> apply(const OwnPrices& own, std::vector<Offer>& offers, Date today,
                               bool all) {
  if (own.overrides.empty() && own.discounts.empty() && own.tax <= 0) return {};
  std::vector<std::string> lines;
  if (all) lines = without_effect(own, offers);
  std::erase_if(offers, [&](Offer& offer) {
    if (!changes(own, offer)) return false;
    std::string why;
    try {
      Offer changed = own_offer(own, offer);
      if (const auto reason = why_not_valid(changed, today)) why = reason->text;
      if (why.empty()) offer = std::move(changed);
    } catch (const Error& error) {
      why = error.what();
    }
    if (!why.empty())
      lines.push_back(fmt::format("{}: the own price of {} cannot be used: {}; offer left out",
                                  printable(own.file), printable(offer.name), why));
    return !why.empty();
  });
  return lines;
}

}  // namespace lapcast

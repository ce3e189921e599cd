#include "price/offer.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <utility>

#include "core/nearest_name.h"
#include "core/units.h"

namespace lapcast {
namespace {

constexpr double kHoursPerYear = 8760;  // A year has 365 days in Kunas 2023, chapter 4.
constexpr std::int64_t kDayNs = 86'400'000'000'000;
constexpr std::int64_t kYearNs = 366 * kDayNs;
constexpr Money kMostPerHour = Money::from_nanos(1'000'000'000'000'000);  // 1,000,000 USD
constexpr std::size_t kMostNameBytes = 1000;
constexpr int kMostAccelerators = 1'000'000;
constexpr double kMostVcpus = 1e6;
constexpr std::int64_t kMostMemoryBytes = 1'000'000LL << 30;
constexpr int kMostMonths = 120;
constexpr const char* kReservedRange =
    "a reservation needs 1 to 120 months, amounts that are not negative, and a utilisation above 0 "
    "and at most 1";

void require(bool holds, const char* what) {
  if (!holds) throw Error(ExitCode::bad_input, what);
}

/// Holds whether a condition is met, and what is wrong if it is not.
using Check = std::pair<bool, const char*>;

std::optional<Reason> first_broken(std::initializer_list<Check> checks) {
  for (const auto& [holds, what] : checks)
    if (!holds) return Reason{what};
  return std::nullopt;
}

bool is_short(const std::string& text) {
  return text.size() <= kMostNameBytes;
}

std::optional<Reason> owned_problem(const Offer& offer) {
  const Owned* const owned = std::get_if<Owned>(&offer.terms);
  if (owned == nullptr) return std::nullopt;
  return first_broken({
      {owned->years > 0 && owned->years <= 1000, "years is not above 0 and at most 1000"},
      {owned->utilisation > 0 && owned->utilisation <= 1,
       "utilisation is not above 0 and at most 1"},
      {owned->power_kw >= 0 && owned->power_kw <= 1e6, "power_kw is not between 0 and 1,000,000"},
      {owned->purchase >= Money{}, "purchase_usd is negative"},
      {owned->price_per_kwh >= Money{}, "usd_per_kwh is negative"},
      {owned->running_cost_per_year >= Money{}, "running cost is negative"},
  });
}

std::optional<Reason> spot_problem(const Offer& offer) {
  const Spot* const spot = std::get_if<Spot>(&offer.terms);
  if (spot == nullptr) return std::nullopt;
  const double hours = spot->hours_between_interruptions.value_or(1);
  const double notice = spot->notice_s.value_or(0);
  return first_broken({
      {hours > 0 && hours <= 1e6, "interruption_hours is not above 0 and at most 1,000,000"},
      {notice >= 0 && notice <= 86400, "notice is not between 0 and a day"},
  });
}

bool is_in_range(const Reserved& terms) {
  return terms.months >= 1 && terms.months <= kMostMonths && terms.utilisation > 0 &&
         terms.utilisation <= 1 && terms.up_front >= Money{} && terms.per_hour >= Money{};
}

std::optional<Reason> size_problem(const Offer& offer) {
  const auto is_size = [](const std::optional<std::int64_t>& bytes) {
    return bytes.value_or(1) > 0 && bytes.value_or(1) <= kMostMemoryBytes;
  };
  const double vcpus = offer.vcpus.value_or(1);
  return first_broken({
      {vcpus > 0 && vcpus <= kMostVcpus, "vcpus is not above 0 and at most 1,000,000"},
      {is_size(offer.memory_bytes), "memory_gib is not above 0 and at most 1,000,000"},
      {is_size(offer.accelerator_memory_bytes),
       "accelerator_memory_gib is not above 0 and at most 1,000,000"},
  });
}

std::optional<Reason> other_problem(const OtherPrices& other) {
  const auto is_amount = [](Money amount) { return amount >= Money{} && amount <= kMostPerHour; };
  return first_broken({
      {is_amount(other.licence.per_hour), "the licence is not between 0 and 1,000,000 USD"},
      {is_amount(other.storage_per_gb_month), "the storage price is not from 0 to 1,000,000 USD"},
      {is_amount(other.snapshots_per_gb_month),
       "the snapshot price is not from 0 to 1,000,000 USD"},
      {is_amount(other.egress_per_gb), "the egress price is not from 0 to 1,000,000 USD"},
      {other.tax >= 0 && other.tax <= 1, "the tax is not between 0 and 100 %"},
  });
}

std::optional<Reason> terms_problem(const Offer& offer) {
  if (auto problem = owned_problem(offer)) return problem;
  if (auto problem = spot_problem(offer)) return problem;
  if (auto problem = other_problem(offer.other)) return problem;
  const Reserved* const reserved = std::get_if<Reserved>(&offer.terms);
  if (reserved != nullptr && !is_in_range(*reserved)) return Reason{kReservedRange};
  return size_problem(offer);
}

}  // namespace

HourlyPrice hourly_price(const Owned& terms) {
  require(std::isfinite(terms.years) && terms.years > 0, "years of use must be above 0");
  require(terms.utilisation > 0 && terms.utilisation <= 1,
          "utilisation must be above 0 and at most 1");
  require(std::isfinite(terms.power_kw) && terms.power_kw >= 0, "power must not be negative");
  require(terms.purchase >= Money{} && terms.price_per_kwh >= Money{} &&
              terms.running_cost_per_year >= Money{},
          "amounts of owned terms must not be negative");
  const double used_hours_per_year = kHoursPerYear * terms.utilisation;
  return {scaled(terms.purchase, 1 / (terms.years * used_hours_per_year)) +
          scaled(terms.price_per_kwh, terms.power_kw) +
          scaled(terms.running_cost_per_year, 1 / used_hours_per_year)};
}

HourlyPrice hourly_price(const Reserved& terms) {
  require(is_in_range(terms), kReservedRange);
  const double term_hours = terms.months * kHoursPerYear / 12;
  return {scaled(terms.up_front, 1 / (term_hours * terms.utilisation)) +
          scaled(terms.per_hour, 1 / terms.utilisation)};
}

HourlyPrice marginal_price(const Offer& offer) {
  if (std::holds_alternative<Reserved>(offer.terms)) return {};
  const Owned* const owned = std::get_if<Owned>(&offer.terms);
  return owned ? HourlyPrice{scaled(owned->price_per_kwh, owned->power_kw)} : offer.price;
}

std::string_view name_of(const Terms& terms) {
  constexpr std::string_view kNames[] = {"on-demand", "owned", "spot", "reserved"};
  static_assert(std::size(kNames) == std::variant_size_v<Terms>);
  return kNames[terms.index()];
}

const Offer* offer_of_name(std::span<const Offer> offers, std::string_view name) {
  auto found = std::ranges::find(offers, name, &Offer::name);
  if (found == offers.end())
    found = std::ranges::find_if(
        offers, [&](const Offer& offer) { return is_same_name(offer.name, name); });
  return found == offers.end() ? nullptr : &*found;
}

std::optional<Reason> why_not_valid(const Offer& offer, Date today) {
  const bool texts_are_short = is_short(offer.name) && is_short(offer.provider) &&
                               is_short(offer.service) && is_short(offer.machine_type) &&
                               is_short(offer.region) && is_short(offer.accelerator) &&
                               is_short(offer.source);
  const auto problem = first_broken({
      {texts_are_short, "a text is longer than 1000 bytes"},
      {offer.price.per_hour >= Money{}, "usd_per_hour is negative"},
      {offer.price.per_hour <= kMostPerHour, "usd_per_hour is above 1,000,000"},
      {offer.accelerator_count >= 0 && offer.accelerator_count <= kMostAccelerators,
       "accelerator_count is not between 0 and 1,000,000"},
      {offer.billing.step_ns >= 0, "billing_step is negative"},
      {offer.billing.step_ns <= kYearNs, "billing_step is longer than a year"},
      {offer.billing.minimum_ns >= 0, "billing_minimum is negative"},
      {offer.billing.minimum_ns <= kYearNs, "billing_minimum is longer than a year"},
      {offer.boot_ns >= 0, "boot is negative"},
      {offer.boot_ns <= kDayNs, "boot is longer than a day"},
      {parse_date(offer.as_of).has_value(), "as_of is not a date like 2021, 2021-02 or 2021-02-03"},
      {!is_future(offer.as_of, today), "as_of is in the future"},
      {!offer.source.empty(), "source is missing"},
  });
  return problem ? problem : terms_problem(offer);
}

}  // namespace lapcast

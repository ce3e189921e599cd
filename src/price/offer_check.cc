#include "price/offer_check.h"

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <variant>

namespace lapcast {
namespace {

constexpr std::int64_t kDayNs = 86'400'000'000'000;
constexpr std::int64_t kYearNs = 366 * kDayNs;
constexpr Money kMostPerHour = Money::from_nanos(1'000'000'000'000'000);  // 1,000,000 USD
constexpr std::size_t kMostNameBytes = 1000;
constexpr int kMostAccelerators = 1'000'000;

using Check = std::pair<bool, const char*>;  // what has to hold, and what is wrong if it does not

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

}  // namespace

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
      {parse_date(offer.as_of).has_value(), "as_of is no date like 2021, 2021-02 or 2021-02-03"},
      {!is_future(offer.as_of, today), "as_of is in the future"},
      {!offer.source.empty(), "source is missing"},
  });
  return problem ? problem : owned_problem(offer);
}

}  // namespace lapcast

#include "price/offer.h"

#include <cmath>

#include "core/error.h"

namespace lapcast {
namespace {

constexpr double kHoursPerYear = 8760;  // [K ch. 4]: 365 days

void require(bool holds, const char* what) {
  if (!holds) throw Error(ExitCode::bad_input, what);
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

}  // namespace lapcast

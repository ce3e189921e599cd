#include "choose/time_cases.h"

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <numbers>

namespace lapcast {
namespace {

constexpr double kZ975 = 1.959963984540054;  // the normal distribution's 97.5 % quantile

/// Normal quantiles in units of the interval's half width: -1 at 2.5 %, 1 at 97.5 %.
std::vector<double> unit_cases() {
  std::vector<double> units(kCases);
  for (std::size_t k = 0; k < kCases; ++k) {
    const double p = (static_cast<double>(k) + 0.5) / static_cast<double>(kCases);
    units[k] = std::numbers::sqrt2 * boost::math::erf_inv(2 * p - 1) / kZ975;
  }
  return units;
}

}  // namespace

std::vector<double> time_cases(const Interval<Seconds>& time) {
  static const std::vector<double> units = unit_cases();
  const double low = time.low.count();
  const double mid = time.mid.count();
  const double high = time.high.count();
  std::vector<double> times(kCases);
  for (std::size_t k = 0; k < kCases; ++k) {
    const double u = units[k];
    if (low > 0) {
      times[k] = mid * std::exp(u < 0 ? u * std::log(mid / low) : u * std::log(high / mid));
    } else {
      times[k] = std::max(0.0, mid + (u < 0 ? u * (mid - low) : u * (high - mid)));
    }
  }
  return times;
}

}  // namespace lapcast

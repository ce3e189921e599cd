#include "forecast/time_cases.h"

#include <algorithm>
#include <cmath>

#include "stats/distributions.h"

namespace lapcast {

std::vector<double> time_cases(const Interval<Seconds>& time) {
  // The normal quantiles are in units of the interval's half width: -1 at 2.5 %, 1 at 97.5 %.
  static const std::vector<double> units = [] {
    std::vector<double> quantiles(kCases);
    for (std::size_t k = 0; k < kCases; ++k)
      quantiles[k] = normal_quantile((static_cast<double>(k) + 0.5) / kCases) / kZ95;
    return quantiles;
  }();
  const double low = time.low.count();
  const double mid = time.mid.count();
  const double high = time.high.count();
  std::vector<double> times;
  for (const double u : units)
    times.push_back(low > 0 ? mid * std::exp(u * std::log(u < 0 ? mid / low : high / mid))
                            : std::max(0.0, mid + u * (u < 0 ? mid - low : high - mid)));
  return times;
}

}  // namespace lapcast

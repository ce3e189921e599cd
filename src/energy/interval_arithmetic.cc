#include "energy/interval_arithmetic.h"

#include <cmath>

namespace lapcast {

Interval<double> scaled(const Interval<double>& interval, double factor) {
  return {interval.low * factor, interval.mid * factor, interval.high * factor};
}

Interval<double> sum(const Interval<double>& a, const Interval<double>& b) {
  const double mid = a.mid + b.mid;
  return {mid - std::hypot(a.mid - a.low, b.mid - b.low), mid,
          mid + std::hypot(a.high - a.mid, b.high - b.mid)};
}

Interval<double> product(const Interval<double>& a, const Interval<double>& b) {
  const double mid = a.mid * b.mid;
  const bool is_positive = a.low > 0 && b.low > 0;
  const auto away = [](double ratio, double other) {
    return std::exp(std::hypot(std::log(ratio), std::log(other)));
  };
  if (!(mid > 0)) return {0, 0, a.high * b.high};
  return {is_positive ? mid / away(a.mid / a.low, b.mid / b.low) : 0, mid,
          mid * away(a.high / a.mid, b.high / b.mid)};
}

}  // namespace lapcast

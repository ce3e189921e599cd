#include "forecast/few_values.h"

#include <algorithm>
#include <cmath>

#include "stats/distributions.h"
#include "stats/intervals.h"
#include "stats/summary.h"

namespace lapcast {

Interval<double> few_values_interval(std::span<const double> values, double least_deviation) {
  if (values.empty()) return {};
  Interval<double> interval = mean_interval(values);
  if (values.size() < 5) {
    const double own = values.size() < 2 ? 0 : standard_deviation(values);
    const double deviation = std::max(own, least_deviation * std::abs(interval.mid));
    const double half = kZ95 * deviation / std::sqrt(static_cast<double>(values.size()));
    interval = {interval.mid - half, interval.mid, interval.mid + half};
  }
  interval.low = std::clamp(interval.low, std::min(0.0, interval.mid), interval.mid);
  return interval;
}

Interval<Seconds> to_seconds(const Interval<double>& seconds) {
  return {Seconds{seconds.low}, Seconds{seconds.mid}, Seconds{seconds.high}};
}

Interval<Seconds> scaled(const Interval<Seconds>& interval, double factor) {
  return {interval.low * factor, interval.mid * factor, interval.high * factor};
}

Interval<Seconds> operator+(const Interval<Seconds>& a, const Interval<Seconds>& b) {
  return {a.low + b.low, a.mid + b.mid, a.high + b.high};
}

}  // namespace lapcast

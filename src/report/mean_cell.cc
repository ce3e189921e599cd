#include "report/mean_cell.h"

#include "stats/intervals.h"

namespace lapcast {

Cell mean_time(std::span<const double> seconds) {
  if (seconds.empty()) return {};
  if (seconds.size() == 1) return Interval<Seconds>::exactly(Seconds{seconds[0]});
  const Interval<double> mean = mean_interval(seconds);
  return Interval<Seconds>{Seconds{mean.low}, Seconds{mean.mid}, Seconds{mean.high}};
}

Cell mean_number(std::span<const double> values) {
  if (values.empty()) return {};
  if (values.size() == 1) return Interval<double>::exactly(values[0]);
  return mean_interval(values);
}

}  // namespace lapcast

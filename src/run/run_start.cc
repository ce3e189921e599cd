#include "run/run_start.h"

#include <cmath>

#include "core/units.h"

namespace lapcast {

RunStart start_of(const Run& run) {
  return {run.started_ns, parse_utc(run.context.started_at)};
}

double seconds_between(const RunStart& from, const RunStart& to) {
  constexpr double kSameClock = 5;
  const double steady = from_ns(to.ns - from.ns).count();
  if (!from.at || !to.at) return steady;
  const auto by_day = static_cast<double>((*to.at - *from.at).count());
  return std::abs(by_day - steady) < kSameClock ? steady : by_day;
}

}  // namespace lapcast

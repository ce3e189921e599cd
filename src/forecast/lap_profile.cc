#include "forecast/lap_profile.h"

#include <fmt/format.h>

#include "core/units.h"
#include "stats/intervals.h"

namespace lapcast {

std::string describe_precision(const SteadyLaps& steady) {
  if (steady.observations == steady.laps) return "";
  if (steady.observations < kFewestObservations)
    return fmt::format("{}, too few to tell how precise",
                       counted(steady.observations, "observation"));
  const double half = relative_half_width(
      {steady.mean.low.count(), steady.mean.mid.count(), steady.mean.high.count()});
  return fmt::format("within {}, {} observations", format_share(half), steady.observations);
}

Interval<Seconds> around(Seconds time, const Prior& factors) {
  return {time * factors.low, time * factors.mid, time * factors.high};
}

}  // namespace lapcast

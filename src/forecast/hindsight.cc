#include "forecast/hindsight.h"

namespace lapcast {

std::vector<Hindsight> hindsight(std::span<const ForecastMoment> forecasts, Seconds real) {
  std::vector<Hindsight> result;
  if (real.count() <= 0) return result;
  for (const double share : {0.01, 0.05, 0.10, 0.25, 0.50}) {
    Hindsight& row = result.emplace_back(Hindsight{share, std::nullopt, 0, false});
    for (const ForecastMoment& moment : forecasts)
      if (moment.elapsed <= real * share) row.forecast = moment;
    if (!row.forecast) continue;
    row.error = row.forecast->total.mid / real - 1;
    row.inside = row.forecast->total.contains(real);
  }
  return result;
}

}  // namespace lapcast

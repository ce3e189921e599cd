#include "choose/race_bounds.h"

#include <algorithm>
#include <cmath>

#include "forecast/priors.h"
#include "stats/anytime_bounds.h"
#include "stats/distributions.h"

namespace lapcast {
namespace {

constexpr double kFewLaps = 5;            // below it a profile's interval is a normal one
constexpr double kLeastDeviation = 0.10;  // of a lap, where few were seen: as the profile assumes
constexpr double kMostBelow = 0.95;       // of the total, as in own_forecast.cc

/// Holds how far the sum of the parts may be off to one side.
struct Reach {
  double laps = 0;
  double others_squared = 0;
};

/// Widens one side of the laps' 95 % interval so that it holds after every round together.
double laps_reach(const SteadyLaps& steady, double mid, double half, double error) {
  const double n = std::max(1.0, steady.effective_laps);
  const double quantile = static_cast<double>(steady.laps) < kFewLaps
                              ? kZ95
                              : student_t_quantile(0.975, std::max(1.0, n - 1));
  return anytime_half_width(half / quantile, kLeastDeviation * mid, n, error);
}

template <class Side>
Reach reach_of(const Assessment& assessment, double error, Side side) {
  Reach reach;
  for (const ForecastPart& part : assessment.forecast->parts) {
    const double half = std::abs(side(part.time).count());
    const PartError error_of_part = facts_of(part.kind).error;
    if (error_of_part == PartError::laps)
      reach.laps = laps_reach(assessment.profile->steady, part.time.mid.count(), half, error);
    else if (error_of_part == PartError::other)  // how runs differ covers their start
      reach.others_squared += half * half;
  }
  return reach;
}

}  // namespace

Result<Interval<Seconds>> anytime_total(const Assessment& assessment, double error) {
  if (!assessment.forecast) return tl::unexpected(assessment.forecast.error());
  const Forecast& forecast = *assessment.forecast;
  const double mid = forecast.total.mid.count();
  const double z = normal_quantile(1 - error / 4);
  const auto below = reach_of(assessment, error / 2, [](const auto& t) { return t.mid - t.low; });
  const auto above = reach_of(assessment, error / 2, [](const auto& t) { return t.high - t.mid; });
  const auto share = [&](double reach) { return std::min(kMostBelow, reach / mid); };
  const double between = z * forecast.spread_between_runs;
  const auto others = [&](const Reach& reach) {
    return z / kZ95 * std::sqrt(reach.others_squared);
  };
  const double down =
      -std::log1p(-share(below.laps)) + std::hypot(std::log1p(-share(others(below))), between);
  const double up =
      std::log1p(above.laps / mid) + std::hypot(std::log1p(others(above) / mid), between);
  return Interval<Seconds>{Seconds{mid * std::exp(-down)}, Seconds{mid},
                           Seconds{mid * std::exp(up)}};
}

Seconds at_least(Seconds ran, double error) {
  return ran * std::exp(-normal_quantile(1 - error / 2) * Priors{}.start_spread_cold);
}

}  // namespace lapcast

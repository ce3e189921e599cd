#include "report/forecast_errors.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "core/units.h"
#include "stats/summary.h"

namespace lapcast {

double error_of(const ForecastAndReal& pair) {
  return pair.forecast.mid / pair.real - 1.0;
}

ForecastErrors errors_of(std::span<const ForecastAndReal> pairs) {
  ForecastErrors errors;
  std::vector<double> sizes;
  for (const ForecastAndReal& pair : pairs) {
    sizes.push_back(std::abs(error_of(pair)));
    errors.inside += pair.forecast.contains(pair.real) ? 1 : 0;
  }
  errors.known = sizes.size();
  if (!sizes.empty()) errors.median = median(sizes);
  return errors;
}

std::string describe(const ForecastErrors& errors) {
  if (!errors.median) return "";
  return fmt::format("median absolute error {}; {} of {} inside the interval",
                     format_share(*errors.median), errors.inside, errors.known);
}

}  // namespace lapcast

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "core/interval.h"
#include "core/seconds.h"

namespace lapcast {

/// A forecast beside the time that it was of.
struct ForecastAndReal {
  Interval<Seconds> forecast;
  Seconds real;  // > 0
};

/// Relative to the real time: 0.1 = forecast 10 % too long.
double error_of(const ForecastAndReal& pair);

/// How far forecasts were off.
struct ForecastErrors {
  std::optional<double> median;  // absolute, relative to the real time; none = nothing is known
  std::size_t inside = 0;        // real times inside their 95 % intervals
  std::size_t known = 0;
};
ForecastErrors errors_of(std::span<const ForecastAndReal> pairs);

/// "median absolute error 3.4 %; 12 of 18 inside the interval"; empty when nothing is known.
std::string describe(const ForecastErrors& errors);

}  // namespace lapcast

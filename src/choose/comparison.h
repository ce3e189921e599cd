#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "choose/run_metric.h"
#include "core/interval.h"
#include "stats/welch.h"

namespace lapcast {

/// Two sets of values of one metric, A and B, side by side.
struct Comparison {
  std::size_t n_a = 0;
  std::size_t n_b = 0;
  std::optional<WelchTest> test;  // of A against B; none with n < 2, or without any spread
  std::optional<double> gain;     // by which share B is better than A: A / B - 1 where small
                                  // is better, B / A - 1 where large is; negative = worse
  std::optional<Interval<double>> gains;  // 95 %, by Fieller; none where it is not bounded
  std::string verdict;                    // in plain words
  bool answered() const { return n_a > 0 && n_b > 0; }
};

/// A difference counts as seen at p < 0.05. With n = 0 the verdict says what is missing; with n = 1
/// it gives the difference and says that it may be chance; values without any spread are compared
/// as they are.
Comparison compare(std::span<const double> a, std::span<const double> b, const RunMetric& metric);

/// Cohen 1988: |g| below 0.2 is negligible, below 0.5 small, below 0.8 medium, else large.
std::string_view size_of_effect(double hedges_g);

}  // namespace lapcast

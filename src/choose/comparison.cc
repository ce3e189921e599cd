#include "choose/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/units.h"
#include "stats/ratio.h"
#include "stats/summary.h"

namespace lapcast {
namespace {

constexpr double kSignificant = 0.05;

std::string p_text(double p) {
  return p < 0.0001 ? "p < 0.0001" : fmt::format("p = {:.2g}", p);
}

/// "12 %": of the size only.
std::string percent(double gain) {
  return format_share(std::abs(gain));
}

/// "12 % faster".
std::string by(double gain, const RunMetric& metric) {
  return fmt::format("{} {}", percent(gain), gain >= 0 ? metric.better : metric.worse);
}

/// "8.0 to 16 %": both bounds on the side of the gain.
std::string range(const Interval<double>& gains) {
  const double near = std::min(std::abs(gains.low), std::abs(gains.high));
  const double far = std::max(std::abs(gains.low), std::abs(gains.high));
  return fmt::format("{} to {}", percent(near), percent(far));
}

std::string sizes(const Comparison& c) {
  return c.n_a == c.n_b ? fmt::format("n = {} each", c.n_a)
                        : fmt::format("n = {} and {}", c.n_a, c.n_b);
}

std::string missing(const Comparison& c, const RunMetric& metric) {
  const std::string which = c.n_a == 0 && c.n_b == 0 ? "neither A nor B has"
                            : c.n_a == 0             ? "A has no run with"
                                                     : "B has no run with";
  return fmt::format("nothing to compare: {} a value of {}", which, metric.name);
}

/// Without a test: once is no measure of spread.
std::string without_test(const Comparison& c, const RunMetric& metric) {
  const std::string seen = !c.gain        ? "the ratio of A and B is not defined"
                           : *c.gain == 0 ? "A and B are equal"
                                          : "B is " + by(*c.gain, metric);
  if (c.n_a > 1 && c.n_b > 1)
    return fmt::format("{}; no value varies within its set ({}), so there is nothing to test", seen,
                       sizes(c));
  return fmt::format(
      "{}, but that may be chance: a set with one run ({}) does not show how much "
      "runs differ; repeat it",
      seen, sizes(c));
}

std::string with_test(const Comparison& c, const RunMetric& metric) {
  const std::string p = p_text(c.test->p_value);
  if (c.test->p_value >= kSignificant) {
    std::string within;
    if (c.gains)
      within = fmt::format(": B is between {} and {}", by(c.gains->low, metric),
                           by(c.gains->high, metric));
    return fmt::format("no difference can be seen with {}{}, {}", sizes(c), within, p);
  }
  const std::string effect = std::string(size_of_effect(c.test->effect_size)) + " effect";
  if (!c.gain) return fmt::format("A and B differ, {}, {}", p, effect);
  return fmt::format("B is {}{}, {}, {}", by(*c.gain, metric),
                     c.gains ? fmt::format(" ({})", range(*c.gains)) : "", p, effect);
}

}  // namespace

std::string_view size_of_effect(double hedges_g) {
  const double size = std::abs(hedges_g);
  return size < 0.2 ? "negligible" : size < 0.5 ? "small" : size < 0.8 ? "medium" : "large";
}

Comparison compare(std::span<const double> a, std::span<const double> b, const RunMetric& metric) {
  Comparison result{a.size(), b.size()};
  if (!result.answered()) {
    result.verdict = missing(result, metric);
    return result;
  }
  const auto& over = metric.larger_is_better ? b : a;
  const auto& under = metric.larger_is_better ? a : b;
  if (mean(under) > 0 && mean(over) > 0) result.gain = mean(over) / mean(under) - 1;
  if (const auto ratio = ratio_of_means(over, under))
    result.gains = {ratio->low - 1, ratio->mid - 1, ratio->high - 1};
  result.test = welch_test(a, b);
  result.verdict = result.test ? with_test(result, metric) : without_test(result, metric);
  return result;
}

}  // namespace lapcast

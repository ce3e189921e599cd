#include "stats/repeat_rule.h"

#include <algorithm>
#include <cmath>

#include "stats/intervals.h"

namespace lapcast {

Repeats judge_repeats(std::span<const double> values, const RepeatRule& rule) {
  if (values.size() < std::max<std::size_t>(1, rule.at_least)) return Repeats::more;
  if (rule.at_least <= 1) return Repeats::enough;
  if (relative_half_width(mean_interval(values)) < rule.precision) return Repeats::enough;
  return values.size() < rule.at_most() ? Repeats::more : Repeats::not_precise;
}

std::size_t expected_runs(std::span<const double> values, const RepeatRule& rule) {
  if (values.size() < rule.at_least) return std::max<std::size_t>(1, rule.at_least);
  if (judge_repeats(values, rule) != Repeats::more) return values.size();
  // The half-width falls with the root of the number of runs.
  const double width = relative_half_width(mean_interval(values)) / rule.precision;
  const double needed = std::ceil(static_cast<double>(values.size()) * width * width);
  const double most = static_cast<double>(rule.at_most());
  return std::max(values.size() + 1, static_cast<std::size_t>(std::fmin(needed, most)));
}

}  // namespace lapcast

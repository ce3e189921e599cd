#include "app/training_goal.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "core/error.h"
#include "core/units.h"

namespace lapcast {

TrainingGoal parse_target(const std::string& text, bool lower) {
  const std::size_t equals = text.rfind('=');
  const std::string name = text.substr(0, equals == text.npos ? 0 : equals);
  const char* const end = text.data() + text.size();
  double value = 0;
  const auto [stop, error] =
      std::from_chars(text.data() + (equals == text.npos ? 0 : equals + 1), end, value);
  const bool fine = !name.empty() && name.size() <= 200 && printable(name) == name &&
                    error == std::errc{} && stop == end && std::isfinite(value);
  if (!fine)
    throw Error(ExitCode::usage, fmt::format("'{}' is no target; it is a metric that the program "
                                             "reports and a number, such as val_accuracy=0.75",
                                             printable(text, 100)));
  return {.metric = name, .smaller_is_better = lower || smaller_is_better(name), .target = value};
}

std::string describe(const TrainingGoal& goal) {
  if (goal.target)
    return fmt::format("{} {} {:g}", goal.metric,
                       goal.smaller_is_better ? "<=" : ">=", *goal.target);
  return fmt::format("{} not better for {} reports", goal.metric, goal.patience);
}

}  // namespace lapcast

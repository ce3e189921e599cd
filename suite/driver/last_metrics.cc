#include "suite/driver/last_metrics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <variant>

#include "run/secrets.h"

namespace lapcast {

Result<std::vector<double>> last_metrics(const Run& run,
                                         std::initializer_list<std::string_view> names) {
  const bool ended = std::holds_alternative<outcome::Ended>(run.outcome) ||
                     std::holds_alternative<outcome::NoLaps>(run.outcome);
  if (!ended) return because(shown_outcome(run));
  const auto log = laps_of(run);
  std::vector<double> values;
  for (const std::string_view name : names) {
    const auto last =
        std::ranges::find(log->metrics.rbegin(), log->metrics.rend(), name, &MetricPoint::name);
    if (last == log->metrics.rend())
      return because(fmt::format("it did not report the metrics {}", fmt::join(names, ", ")));
    values.push_back(last->value);
  }
  return values;
}

}  // namespace lapcast

#include "forecast/early_stopping.h"

#include <fmt/format.h>

#include "forecast/learning_curve.h"

namespace lapcast {

namespace {

/// Takes the next report of the metric into the best one so far.
void take(std::optional<BestMetric>& best, const MetricPoint& point) {
  const std::int64_t reports = best ? best->reports + 1 : 1;
  const bool better = !best || (smaller_is_better(point.name) ? point.value < best->value
                                                              : point.value > best->value);
  if (better) best = BestMetric{point.value, reports, 0, point.epoch};
  best->reports = reports;
  if (!better) ++best->reports_since;
}

}  // namespace

std::optional<BestMetric> best_metric(const LapLog& log, const std::string& metric) {
  std::optional<BestMetric> best;
  for (const MetricPoint& point : log.metrics)
    if (point.name == metric) take(best, point);
  return best;
}

std::optional<std::int64_t> epochs_of_patience(const LapLog& log, const std::string& metric,
                                               std::int64_t patience) {
  std::optional<BestMetric> best;
  for (const MetricPoint& point : log.metrics) {
    if (point.name != metric) continue;
    take(best, point);
    if (best->reports_since >= patience) return best->reports;
  }
  return std::nullopt;
}

std::optional<std::string> out_of_patience(const LapLog& log, const std::string& metric,
                                           std::int64_t patience) {
  const auto best = best_metric(log, metric);
  if (!best || best->reports_since < patience) return std::nullopt;
  return fmt::format("{} has not improved on {:.4g} of epoch {} for {} epochs", metric, best->value,
                     best->epoch, best->reports_since);
}

}  // namespace lapcast

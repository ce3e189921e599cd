#include "forecast/early_stopping.h"

#include <fmt/format.h>

namespace lapcast {

std::optional<BestMetric> best_metric(const LapLog& log, const std::string& metric) {
  const bool smaller_is_better =
      metric.find("loss") != std::string::npos || metric.find("error") != std::string::npos;
  std::optional<BestMetric> best;
  std::int64_t reports = 0;
  for (const MetricPoint& point : log.metrics) {
    if (point.name != metric) continue;
    ++reports;
    const bool better = !best || (smaller_is_better ? point.value < best->value
                                                    : point.value > best->value);
    if (better) best = BestMetric{point.value, 0, 0, point.epoch};
    else ++best->reports_since;
  }
  if (best) best->reports = reports;
  return best;
}

std::optional<std::string> out_of_patience(const LapLog& log, const std::string& metric,
                                           int patience) {
  const auto best = best_metric(log, metric);
  if (!best || best->reports_since < patience) return std::nullopt;
  return fmt::format("{} has not improved on {:.4g} of epoch {} for {} epochs", metric, best->value,
                     best->epoch, best->reports_since);
}

}  // namespace lapcast

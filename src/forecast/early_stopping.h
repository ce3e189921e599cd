#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lap/lap_log.h"

namespace lapcast {

/// The best value of a metric and when it was reached. Larger is better, unless
/// smaller_is_better() (learning_curve.h) of the name.
struct BestMetric {
  double value = 0;
  std::int64_t reports = 0;        // of this metric in all
  std::int64_t reports_since = 0;  // after the best one
  std::int32_t epoch = 0;          // of the best one
};
std::optional<BestMetric> best_metric(const LapLog& log, const std::string& metric);

/// The patience rule [M ch. 4]: in words why to stop, once the metric has not improved for that
/// many reports (one per epoch); nothing while there is hope.
std::optional<std::string> out_of_patience(const LapLog& log, const std::string& metric,
                                           std::int64_t patience);

/// How many epochs the patience rule trains: reports of the metric until it is first satisfied,
/// whatever came after; nothing while it is not.
std::optional<std::int64_t> epochs_of_patience(const LapLog& log, const std::string& metric,
                                               std::int64_t patience);

}  // namespace lapcast

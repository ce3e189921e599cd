#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lap/lap_log.h"

namespace lapcast {

/// Holds the best value of a metric and when it was reached. Larger is better, unless
/// smaller_is_better() (learning_curve.h) of the name.
struct BestMetric {
  double value = 0;
  std::int64_t reports = 0;        // of this metric in all
  std::int64_t reports_since = 0;  // after the best one
  std::int32_t epoch = 0;          // of the best one
};
std::optional<BestMetric> best_metric(const LapLog& log, const std::string& metric);

/// Applies the patience rule (Malta 2021, chapter 4): returns in words why to stop once the metric
/// has not improved for that many reports (one per epoch); nothing before.
std::optional<std::string> out_of_patience(const LapLog& log, const std::string& metric,
                                           std::int64_t patience);

/// Returns how many epochs the patience rule trains: the reports of the metric until the rule is
/// first satisfied, whatever came after; nothing while it is not.
std::optional<std::int64_t> epochs_of_patience(const LapLog& log, const std::string& metric,
                                               std::int64_t patience);

}  // namespace lapcast

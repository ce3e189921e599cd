#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "lap/lap_log.h"

namespace lapcast {

/// One evaluation: how far training was, in epochs, and what the metric was.
struct CurvePoint {
  double epochs = 0;  // > 0
  double value = 0;
  friend bool operator==(const CurvePoint&, const CurvePoint&) = default;
};

/// The evaluations of one metric in the order of training.
struct LearningCurve {
  std::vector<CurvePoint> points;  // epochs strictly increase, values are finite
  std::int64_t left_out = 0;       // evaluations that were no finite number
  bool counts_reports = false;     // `epochs` are reports of the metric: the log does not say more
};

/// What training is for: a metric that reaches a target, or that stops improving.
struct TrainingGoal {
  std::string metric;
  bool smaller_is_better = false;
  std::optional<double> target;
  std::int64_t patience =
      0;  // reports without improvement until training stops; used without target
};

/// Whether a metric of that name is better when it is smaller: it holds "loss", "error" or
/// "perplexity", or one of its words is "wer" or "cer".
bool smaller_is_better(std::string_view metric);

/// The curve of a metric in a log. A point's place is the epoch that it was reported for, where
/// every report has one of its own; else its laps as a share of the first whole epoch; else its
/// number among the reports. With first_epochs > 0 only what was reported until so many epochs were
/// over. Reason when the log has no such metric.
Result<LearningCurve> learning_curve(const LapLog& log, const std::string& metric,
                                     std::int64_t first_epochs = 0);

/// Says of one evaluation after another whether the goal is reached.
class GoalWatch {
 public:
  explicit GoalWatch(const TrainingGoal& goal) : goal_(goal) {}
  /// `reports` > 1: the best of so many evaluations.
  bool reached_by(double value, std::int64_t reports = 1);

 private:
  TrainingGoal goal_;
  std::optional<double> best_;
  std::int64_t since_ = 0;
};

/// Where a curve reached the goal; nothing where it did not.
std::optional<double> epochs_when_reached(const LearningCurve& curve, const TrainingGoal& goal);

/// Typical distance of its last evaluations, in epochs; that to the start where there is only one.
double evaluation_spacing(const LearningCurve& curve);

}  // namespace lapcast

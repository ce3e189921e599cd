#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "lap/lap_log.h"

namespace lapcast {

/// Stands for the number of epochs after which a training reaches a goal that it never reaches.
inline constexpr double kNever = std::numeric_limits<double>::infinity();

/// Holds one evaluation: how far training was, in epochs, and the value of the metric.
struct CurvePoint {
  double epochs = 0;  // > 0
  double value = 0;
  friend bool operator==(const CurvePoint&, const CurvePoint&) = default;
};

/// Holds the evaluations of one metric in the order of training.
struct LearningCurve {
  std::vector<CurvePoint> points;  // epochs strictly increase, values are finite
  std::int64_t left_out = 0;       // evaluations that were no finite number
  bool counts_reports = false;     // `epochs` counts reports: the log has nothing better
};

/// Says when a training is done: when a metric reaches a target, or stops improving.
struct TrainingGoal {
  std::string metric;
  bool smaller_is_better = false;
  std::optional<double> target;
  std::int64_t patience = 0;  // reports without improvement until it stops; used without target
};

/// Returns whether a metric of that name is better when it is smaller: the name has "loss", "error"
/// or "perplexity" in it, or one of its words is "wer" or "cer".
bool smaller_is_better(std::string_view metric);

/// Returns the curve of a metric in a log. The epochs of a point are the epoch that it was reported
/// for, where every report has one of its own; else its laps as a share of the first whole epoch;
/// else its number among the reports. With first_epochs > 0 only reports until the end of that many
/// epochs count. Returns the reason when the log has no such metric.
Result<LearningCurve> learning_curve(const LapLog& log, const std::string& metric,
                                     std::int64_t first_epochs = 0);

/// Says after each evaluation whether the goal is reached.
class GoalWatch {
 public:
  explicit GoalWatch(const TrainingGoal& goal) : goal_(goal) {}
  /// Takes the next value; with reports > 1 it is the best of so many evaluations.
  bool reached_by(double value, std::int64_t reports = 1);

 private:
  TrainingGoal goal_;
  std::optional<double> best_;
  std::int64_t since_ = 0;
};

/// Returns the epochs after which a curve reached the goal; nothing where it did not.
std::optional<double> epochs_when_reached(const LearningCurve& curve, const TrainingGoal& goal);

/// Returns the typical distance of the last evaluations in epochs; of a single one that to the
/// start.
double evaluation_spacing(const LearningCurve& curve);

/// Holds the best value of a metric and when it was reached. Larger is better, unless
/// smaller_is_better() of the name.
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

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

/// Stands for "never" where a number of epochs until a goal is given.
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
  std::int64_t left_out = 0;       // evaluations whose value was not a finite number
  bool counts_reports = false;  // CurvePoint::epochs counts reports: the log has no epochs or laps
};

/// Says when a training is done: when a metric reaches the target, or, without a target, when it
/// has not improved for `patience` reports.
struct TrainingGoal {
  std::string metric;
  bool smaller_is_better = false;
  std::optional<double> target;
  std::int64_t patience = 0;  // > 0 when there is no target
};

/// Returns whether a metric of that name is better when it is smaller: the name has "loss", "error"
/// or "perplexity" in it, or one of its words is "wer" or "cer".
bool smaller_is_better(std::string_view metric);

/// Returns the curve of a metric in a log. The epochs of a point are the epoch that it was reported
/// in, where every report has an epoch of its own; else the laps before it divided by those of the
/// first whole epoch; else its number among the reports, from 1. With first_epochs > 0 only reports
/// in epochs with at most that number count. Returns the reason when the log has no such metric.
Result<LearningCurve> learning_curve(const LapLog& log, const std::string& metric,
                                     std::int64_t first_epochs = 0);

/// Says after each evaluation whether the goal is reached.
class GoalWatch {
 public:
  explicit GoalWatch(const TrainingGoal& goal) : goal_(goal) {}
  /// Takes the next value and returns whether the goal is reached by it. With reports > 1 the value
  /// is the best of that many evaluations.
  bool reached_by(double value, std::int64_t reports = 1);

 private:
  TrainingGoal goal_;
  std::optional<double> best_;
  std::int64_t since_ = 0;
};

/// Returns the epochs of the first point at which the goal is reached; nothing when there is none.
std::optional<double> epochs_when_reached(const LearningCurve& curve, const TrainingGoal& goal);

/// Returns the median distance between the last six evaluations in epochs; for a single one, its
/// distance from the start of training; 0 when there are none.
double evaluation_spacing(const LearningCurve& curve);

/// Holds the best value of a metric and when it was reached.
struct BestMetric {
  double value = 0;
  std::int64_t reports = 0;        // of this metric in all
  std::int64_t reports_since = 0;  // after the best one
  std::int32_t epoch = 0;          // of the best one, as reported
};
/// Returns the best value by smaller_is_better() of the name, the first of equal ones; nothing when
/// the log has no such metric.
std::optional<BestMetric> best_metric(const LapLog& log, const std::string& metric);

/// Applies the patience rule (Malta 2021, chapter 4): returns in words why to stop once the metric
/// has not improved for patience > 0 reports, which the text calls epochs; nothing before.
std::optional<std::string> out_of_patience(const LapLog& log, const std::string& metric,
                                           std::int64_t patience);

/// Returns how many epochs the patience rule trains, with one report per epoch: the number of
/// reports until the rule says stop for the first time; nothing when it never does.
std::optional<std::int64_t> epochs_of_patience(const LapLog& log, const std::string& metric,
                                               std::int64_t patience);

}  // namespace lapcast

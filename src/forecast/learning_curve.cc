#include "forecast/learning_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include "stats/summary.h"

namespace lapcast {
namespace {

bool has_word(std::string_view text, std::string_view word) {
  const auto letter = [&](std::size_t i) {
    return i < text.size() && std::isalpha(static_cast<unsigned char>(text[i])) != 0;
  };
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1))
    if ((at == 0 || !letter(at - 1)) && !letter(at + word.size())) return true;
  return false;
}

std::vector<MetricPoint> reports_of(const LapLog& log, const std::string& metric,
                                    std::int64_t first_epochs) {
  std::vector<MetricPoint> reports;
  for (const MetricPoint& point : log.metrics) {
    const bool early = first_epochs == 0 || point.epoch <= first_epochs;
    if (point.name == metric && early) reports.push_back(point);
  }
  return reports;
}

/// Returns whether a member of the reports is above 0 and increases from each report to the next.
template <class Number>
bool increases(const std::vector<MetricPoint>& reports, Number MetricPoint::*number) {
  Number last = 0;
  for (const MetricPoint& report : reports)
    if (report.*number <= std::exchange(last, report.*number)) return false;
  return true;
}

std::int64_t laps_of_an_epoch(const LapLog& log) {
  for (const EpochSpan& epoch : log.epochs)
    if (epoch.ended && epoch.laps > 0) return epoch.laps;
  return log.plan ? log.plan->iterations_per_epoch : 0;
}

/// Updates the best report so far with the next one of the metric.
void take(std::optional<BestMetric>& best, const MetricPoint& point) {
  const std::int64_t reports = best ? best->reports + 1 : 1;
  const bool better = !best || (smaller_is_better(point.name) ? point.value < best->value
                                                              : point.value > best->value);
  if (better) best = BestMetric{point.value, reports, 0, point.epoch};
  best->reports = reports;
  if (!better) ++best->reports_since;
}

}  // namespace

bool smaller_is_better(std::string_view metric) {
  for (const std::string_view part : {"loss", "error", "perplexity"})
    if (metric.find(part) != metric.npos) return true;
  return has_word(metric, "wer") || has_word(metric, "cer");
}

Result<LearningCurve> learning_curve(const LapLog& log, const std::string& metric,
                                     std::int64_t first_epochs) {
  const auto reports = reports_of(log, metric, first_epochs);
  if (reports.empty()) return because("it reported no " + metric);
  const auto laps = static_cast<double>(laps_of_an_epoch(log));
  const bool by_epoch = increases(reports, &MetricPoint::epoch);
  const bool by_laps = !by_epoch && laps > 0 && increases(reports, &MetricPoint::laps_before);
  LearningCurve curve;
  curve.counts_reports = !by_epoch && !by_laps;
  double number = 0;
  for (const MetricPoint& report : reports) {
    ++number;
    const double epochs = by_epoch  ? report.epoch
                          : by_laps ? static_cast<double>(report.laps_before) / laps
                                    : number;
    if (std::isfinite(report.value))
      curve.points.push_back({epochs, report.value});
    else
      ++curve.left_out;
  }
  return curve;
}

bool GoalWatch::reached_by(double value, std::int64_t reports) {
  const auto no_worse = [&](double a, double b) {
    return goal_.smaller_is_better ? a <= b : a >= b;
  };
  if (goal_.target) return no_worse(value, *goal_.target);
  if (!best_ || !no_worse(*best_, value)) {
    best_ = value;
    since_ = 0;
    return false;
  }
  since_ += reports;
  return since_ >= goal_.patience;
}

std::optional<double> epochs_when_reached(const LearningCurve& curve, const TrainingGoal& goal) {
  GoalWatch watch(goal);
  for (const CurvePoint& point : curve.points)
    if (watch.reached_by(point.value)) return point.epochs;
  return std::nullopt;
}

double evaluation_spacing(const LearningCurve& curve) {
  const std::vector<CurvePoint>& points = curve.points;
  if (points.size() == 1) return points.front().epochs;
  std::vector<double> gaps;
  const std::size_t from = points.size() - std::min<std::size_t>(points.size(), 6);
  for (std::size_t i = from + 1; i < points.size(); ++i)
    gaps.push_back(points[i].epochs - points[i - 1].epochs);
  return gaps.empty() ? 0 : upper_median(std::move(gaps));
}

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

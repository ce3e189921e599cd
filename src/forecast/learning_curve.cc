#include "forecast/learning_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

namespace lapcast {
namespace {

using Points = std::vector<CurvePoint>;

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

bool each_has_an_epoch(const std::vector<MetricPoint>& reports) {
  std::int32_t last = 0;
  for (const MetricPoint& report : reports) {
    if (report.epoch <= last) return false;
    last = report.epoch;
  }
  return true;
}

bool each_has_laps(const std::vector<MetricPoint>& reports) {
  std::int64_t last = 0;
  for (const MetricPoint& report : reports) {
    if (report.laps_before <= last) return false;
    last = report.laps_before;
  }
  return true;
}

std::int64_t laps_of_an_epoch(const LapLog& log) {
  for (const EpochSpan& epoch : log.epochs)
    if (epoch.ended && epoch.laps > 0) return epoch.laps;
  return log.plan ? log.plan->iterations_per_epoch : 0;
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
  const bool by_epoch = each_has_an_epoch(reports);
  const bool by_laps = !by_epoch && laps > 0 && each_has_laps(reports);
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
  const Points& points = curve.points;
  if (points.size() == 1) return points.front().epochs;
  std::vector<double> gaps;
  const std::size_t from = points.size() - std::min<std::size_t>(points.size(), 6);
  for (std::size_t i = from + 1; i < points.size(); ++i)
    gaps.push_back(points[i].epochs - points[i - 1].epochs);
  if (gaps.empty()) return 0;
  const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
  std::nth_element(gaps.begin(), middle, gaps.end());
  return *middle;
}

}  // namespace lapcast

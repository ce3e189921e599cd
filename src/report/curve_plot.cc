#include "report/curve_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "core/units.h"

namespace lapcast {
namespace {

constexpr std::size_t kCurveRows = 10;

/// Returns the needed epochs if at least half of the distribution reaches the goal.
std::optional<Interval<double>> needed_of(const EpochsAssessment& assessment) {
  if (!assessment.needed || !std::isfinite(assessment.needed->epochs.mid)) return std::nullopt;
  return assessment.needed->epochs;
}

double last_epoch(const LearningCurve& curve, const std::optional<Interval<double>>& needed) {
  const double last = curve.points.back().epochs;
  if (!needed) return last;
  return std::max(last, std::isfinite(needed->high) ? needed->high : needed->mid);
}

/// Draws dots from each evaluation to the next.
void draw_course(const LearningCurve& curve, const PlotScale& x, const PlotScale& y,
                 DotCanvas& canvas) {
  for (std::size_t i = 1; i < curve.points.size(); ++i) {
    const CurvePoint& from = curve.points[i - 1];
    const CurvePoint& to = curve.points[i];
    const std::size_t first = x.step_of(from.epochs);
    const std::size_t last = std::max(first + 1, x.step_of(to.epochs));
    for (std::size_t at = first; at <= last; ++at) {
      const double share = static_cast<double>(at - first) / static_cast<double>(last - first);
      canvas.dot(at, y.step_of(from.value + share * (to.value - from.value)));
    }
  }
}

}  // namespace

std::optional<Table> curve_plot(const EpochsRow& row, const PlotStyle& style) {
  const LearningCurve& curve = row.assessment.curve;
  if (curve.points.empty()) return std::nullopt;
  const std::optional<Interval<double>> needed = needed_of(row.assessment);
  auto [low, high] = std::ranges::minmax(curve.points, {}, &CurvePoint::value);
  const double goal = row.goal.target.value_or(curve.points.back().value);
  const double least = std::min(low.value, goal);
  const double most = std::max(high.value, goal);
  const double end = last_epoch(curve, needed);
  const PlotAxes axes{printable(row.goal.metric, 30), fmt::format("{:.4g}", least),
                      fmt::format("{:.4g}", most), "0", fmt::format("{:.4g} epochs", end)};
  const std::size_t columns = plot_columns(axes, style);
  DotCanvas canvas(columns, kCurveRows, style.ascii);
  draw_course(curve, {0, end, canvas.width()}, {least, most, canvas.height()}, canvas);
  const PlotScale column(0, end, columns);
  const PlotScale line(least, most, kCurveRows);
  if (needed) canvas.put(line.step_of(goal), drawn_interval(*needed, column, style.ascii));
  for (const CurvePoint& point : curve.points)
    canvas.put(line.step_of(point.value),
               std::string(column.step_of(point.epochs), ' ') + (style.ascii ? "*" : "\u25C6"));
  Table table =
      plot_table("Learning curve of " + row.run->context.id, axes, canvas.lines(), columns);
  if (needed)
    table.notes.push_back(fmt::format("{} = evaluation, {} = epochs needed, 95 %",
                                      style.ascii ? "*" : "\u25C6",
                                      style.ascii ? "|--o--|" : "\u251C\u2500\u25CF\u2500\u2524"));
  return table;
}

}  // namespace lapcast

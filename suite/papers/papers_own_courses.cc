#include "suite/papers/papers_own_courses.h"

#include "forecast/learning_curve.h"

namespace lapcast {
namespace {

constexpr double kWhole = 100;  // percent

}  // namespace

std::vector<FigurePoint> epoch_points(const LapLog& log) {
  std::vector<FigurePoint> points;
  for (const EpochSpan& epoch : log.epochs)
    if (epoch.ended)
      points.push_back({.x = 1.0 * epoch.epoch, .y = epoch.span.seconds().count(), .label = ""});
  return points;
}

std::vector<FigurePoint> elapsed_points(const LapLog& log) {
  std::vector<FigurePoint> points;
  for (const EpochSpan& epoch : log.epochs)
    if (epoch.ended)
      points.push_back(
          {.x = 1.0 * epoch.epoch, .y = from_ns(epoch.span.end_ns).count(), .label = ""});
  return points;
}

std::vector<FigurePoint> iteration_points(const LapLog& log) {
  std::vector<FigurePoint> points;
  for (const Lap& lap : log.laps)
    points.push_back(
        {.x = 1.0 + static_cast<double>(lap.index), .y = lap.seconds().count(), .label = ""});
  return points;
}

std::vector<FigurePoint> validation_points(const LapLog& log) {
  std::vector<FigurePoint> points;
  for (const ValidationSpan& validation : log.validations)
    points.push_back({.x = 1.0 + static_cast<double>(points.size()),
                      .y = validation.span.seconds().count(),
                      .label = ""});
  return points;
}

std::vector<FigurePoint> accuracy_points(const LapLog& log) {
  std::vector<FigurePoint> points;
  if (const auto curve = learning_curve(log, "val_accuracy"))
    for (const CurvePoint& point : curve->points)
      points.push_back({.x = point.epochs, .y = kWhole * point.value, .label = ""});
  return points;
}

}  // namespace lapcast

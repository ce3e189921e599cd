#pragma once

#include <vector>

#include "lap/lap_log.h"
#include "suite/papers/figure.h"

namespace lapcast {

/// Returns the points of a run's course, in its order.
using PointsOf = std::vector<FigurePoint> (*)(const LapLog& log);

/// Returns the seconds of each whole epoch.
std::vector<FigurePoint> epoch_points(const LapLog& log);
/// Returns the end of each epoch, in seconds since the program said hello.
std::vector<FigurePoint> elapsed_points(const LapLog& log);
/// Returns the seconds of each lap.
std::vector<FigurePoint> iteration_points(const LapLog& log);
/// Returns the seconds of each validation.
std::vector<FigurePoint> validation_points(const LapLog& log);
/// Returns the val_accuracy by epochs, in percent.
std::vector<FigurePoint> accuracy_points(const LapLog& log);

}  // namespace lapcast

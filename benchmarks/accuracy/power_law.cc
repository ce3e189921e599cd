#include "accuracy/power_law.h"

#include <cmath>
#include <limits>

namespace lapcast::accuracy {
namespace {

struct PowerLaw {
  double end = 0, rise = 0, power = 0;
  double squares = std::numeric_limits<double>::infinity();  // the sum of squared residuals
};

PowerLaw fit(std::span<const CurvePoint> points, double power) {
  double n = 0, mean_f = 0, mean_y = 0, ff = 0, fy = 0;
  for (const CurvePoint& point : points) {
    const double f = std::pow(point.epochs, -power);
    n += 1;
    const double df = f - mean_f, dy = point.value - mean_y;
    mean_f += df / n;
    mean_y += dy / n;
    ff += df * (f - mean_f);
    fy += df * (point.value - mean_y);
  }
  PowerLaw law{mean_y, 0, power, 0};
  if (ff > 0) law = {mean_y - fy / ff * mean_f, -fy / ff, power, 0};
  for (const CurvePoint& point : points) {
    const double residual = point.value - law.end + law.rise * std::pow(point.epochs, -power);
    law.squares += residual * residual;
  }
  return law;
}

}  // namespace

double power_law_epochs(std::span<const CurvePoint> points, double target) {
  constexpr double kNeverReached = std::numeric_limits<double>::infinity();
  if (points.size() < 3) return kNeverReached;
  PowerLaw best;
  for (double power = 0.02; power <= 4; power *= 1.02) {
    const PowerLaw law = fit(points, power);
    if (law.squares < best.squares) best = law;
  }
  if (!(best.rise > 0) || !(best.end > target)) return kNeverReached;
  return std::pow((best.end - target) / best.rise, -1 / best.power);
}

}  // namespace lapcast::accuracy

#include "forecast/curve_families.h"

#include <cmath>
#include <span>

namespace lapcast {
namespace {

constexpr int kScales = 17;  // from 1/32 to 8 times what was seen, a factor of sqrt(2) apart
constexpr double kPowers[] = {0.1, 0.2, 0.35, 0.5, 0.75, 1, 1.5, 2};
constexpr double kShiftedPowers[] = {0.3, 0.6, 1, 2};
constexpr double kJanoschekPowers[] = {0.5, 0.75, 1.5, 2.5};
constexpr double kLogPowers[] = {0.75, 1, 1.5, 2.5, 4};

bool starts_at_infinity(CurveFamily family) {
  return family == CurveFamily::power || family == CurveFamily::inverse_logarithm;
}

void add_grid(std::vector<CurveShape>& shapes, CurveFamily family, std::span<const double> powers,
              double seen) {
  for (int i = 0; i < kScales; ++i)
    for (const double power : powers)
      shapes.push_back({family, seen * std::pow(2.0, 0.5 * i - 5), power});
}

}  // namespace

std::string_view to_string(CurveFamily family) {
  switch (family) {
    case CurveFamily::power:
      return "power law";
    case CurveFamily::shifted_power:
      return "shifted power law";
    case CurveFamily::exponential:
      return "exponential";
    case CurveFamily::janoschek:
      return "Janoschek";
    case CurveFamily::inverse_logarithm:
      return "inverse logarithm";
    case CurveFamily::log_power:
      return "log-power";
  }
  return "";
}

double remaining(const CurveShape& shape, double epochs) {
  switch (shape.family) {
    case CurveFamily::power:
      return std::pow(epochs, -shape.power);
    case CurveFamily::shifted_power:
      return std::pow(1 + epochs / shape.scale, -shape.power);
    case CurveFamily::exponential:
      return std::exp(-epochs / shape.scale);
    case CurveFamily::janoschek:
      return std::exp(-std::pow(epochs / shape.scale, shape.power));
    case CurveFamily::inverse_logarithm:
      return 1 / std::log1p(epochs);
    case CurveFamily::log_power:
      return 1 / (1 + std::pow(epochs / shape.scale, shape.power));
  }
  return 0;
}

double share_remaining(const CurveShape& shape, double epochs, double first_evaluation) {
  if (!starts_at_infinity(shape.family)) return remaining(shape, epochs);
  return remaining(shape, epochs) / remaining(shape, first_evaluation);
}

std::vector<CurveShape> curve_shapes(double seen) {
  std::vector<CurveShape> shapes;
  for (const double power : kPowers) shapes.push_back({CurveFamily::power, 1, power});
  add_grid(shapes, CurveFamily::shifted_power, kShiftedPowers, seen);
  add_grid(shapes, CurveFamily::exponential, std::span(kPowers + 5, 1), seen);
  add_grid(shapes, CurveFamily::janoschek, kJanoschekPowers, seen);
  shapes.push_back({CurveFamily::inverse_logarithm, 1, 1});
  add_grid(shapes, CurveFamily::log_power, kLogPowers, seen);
  return shapes;
}

}  // namespace lapcast

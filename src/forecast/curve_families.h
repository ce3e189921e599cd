#pragma once

#include <string_view>
#include <vector>

namespace lapcast {

/// Names the families of learning curves in the literature that are linear in where they end and
/// how far they rise: value(t) = end - rise * remaining(t), with remaining(0) = 1 or, for those
/// that have no finite start, remaining(first evaluation) = 1, falling to 0. Domhan, Springenberg,
/// Hutter (2015) and Viering, Loog (2022) list and compare them.
enum class CurveFamily {
  power,              // pow3: t^-p
  shifted_power,      // pow4: (1 + t/s)^-p
  exponential,        // exp3: exp(-t/s)
  janoschek,          // exp(-(t/s)^p), also called Weibull
  inverse_logarithm,  // ilog2: 1 / log(1 + t)
  log_power,          // 1 / (1 + (t/s)^p), also called MMF and Hill
};
inline constexpr int kCurveFamilies = 6;
std::string_view to_string(CurveFamily family);  // "power law", "Janoschek" ...

/// Describes one member of a family. `scale` is in epochs.
struct CurveShape {
  CurveFamily family = CurveFamily::power;
  double scale = 1;
  double power = 1;
  friend bool operator==(const CurveShape&, const CurveShape&) = default;
};

/// Returns what remains of the rise after so many epochs (> 0), not scaled to remaining(start) = 1.
double remaining(const CurveShape& shape, double epochs);
/// Returns it as a share of what remained at the start: at 0, or, where that is not finite, at the
/// first evaluation.
double share_remaining(const CurveShape& shape, double epochs, double first_evaluation);

/// Returns the shapes to try: a grid of powers, and of scales between 1/32 and 8 times the observed
/// epochs.
std::vector<CurveShape> curve_shapes(double observed);

}  // namespace lapcast

#include "extrapolate/counted_model.h"

#include <algorithm>
#include <cmath>

namespace lapcast {
namespace {

// Fitted by least absolute errors to 563 trainings of 75 families of networks (cross-timm: RTX
// 3090, mixed precision, PyTorch 1.12), times of one sample; f and a are the logarithms of 1e9
// multiply-adds and of 1e6 written numbers of a forward pass. docs/shortlist.md has the errors.
constexpr double kConstant = -8.5681, kF = 0.4190, kA = 0.5203;
constexpr double kFF = 0.0961, kAA = 0.0931, kFA = -0.1800;
constexpr double kSd = 0.29;
// The range of the networks; beyond it the edge's value goes on with the operations.
constexpr double kLeastF = -3.5, kMostF = 6.7, kLeastA = -0.4, kMostA = 7.4;
constexpr double kBeyondSd = 0.5;  // assumed: no public set has such networks with both counts

}  // namespace

NormalPart counted_lap(double flops, double activations, double batch) {
  // Forward and backward pass are three times the forward pass, with two operations each.
  const double exact_f = std::log(flops / batch / 6 / 1e9);
  const double exact_a = std::log(activations / batch / 1e6);
  const double f = std::clamp(exact_f, kLeastF, kMostF), a = std::clamp(exact_a, kLeastA, kMostA);
  const double beyond = exact_f - f;
  const double log_sample = kConstant + kF * f + kA * a + kFF * f * f + kAA * a * a + kFA * f * a;
  const bool is_inside = beyond == 0 && exact_a == a;
  return {log_sample + beyond + std::log(batch), is_inside ? kSd : std::hypot(kSd, kBeyondSd)};
}

}  // namespace lapcast

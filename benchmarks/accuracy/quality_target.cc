#include "accuracy/quality_target.h"

namespace lapcast::accuracy {
namespace {

constexpr double kRounding = 1e-6;

TrainingGoal at_least(double target) {
  return {.metric = "quality", .target = target * (1 - kRounding)};
}

TrainingGoal at_most(double target) {
  return {.metric = "quality", .smaller_is_better = true, .target = target * (1 + kRounding)};
}

/// Selects by round. Rounds are "v0.5", "v0.6", "v0.7", "v1.0" ..., so their names are in order.
double by_round(std::string_view round, double v05, double v06, double v07, double v20) {
  if (round <= "v0.5") return v05;
  if (round <= "v0.6") return v06;
  return round < "v2.0" ? v07 : v20;
}

}  // namespace

std::optional<TrainingGoal> quality_target(std::string_view benchmark, std::string_view round) {
  if (benchmark == "resnet") return at_least(by_round(round, 0.749, 0.759, 0.759, 0.759));
  if (benchmark == "ssd") return at_least(by_round(round, 0.212, 0.23, 0.23, 0.34));
  if (benchmark == "maskrcnn") return at_least(0.377);
  if (benchmark == "gnmt") return at_least(by_round(round, 21.8, 24, 0.24, 0.24));
  if (benchmark == "transformer") return at_least(by_round(round, 25, 25, 0.25, 0.25));
  if (benchmark == "ncf") return at_least(0.635);
  if (benchmark == "bert") return at_least(round <= "v0.7" ? 0.712 : 0.72);
  if (benchmark == "dlrm") return at_least(0.8025);
  if (benchmark == "unet3d") return at_least(0.908);
  if (benchmark == "rnnt") return at_most(0.058);
  if (benchmark == "minigo") return at_least(0.5);
  return std::nullopt;
}

}  // namespace lapcast::accuracy

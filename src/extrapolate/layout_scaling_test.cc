#include "extrapolate/layout_scaling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace lapcast {
namespace {

/// Returns the lap of a network of 24 layers whose computation takes `compute` seconds for a sample
/// of a layer, and nothing else takes time: the pipeline's bubble is its only loss.
double ideal_lap(const Layout& l, double compute) {
  return (l.micro_batches + l.pipeline - 1) * l.layers / l.pipeline * l.micro_batch * compute /
         l.tensor;
}

Layout layout(double tensor, double pipeline, double data) {
  return {.tensor = tensor,
          .pipeline = pipeline,
          .data = data,
          .micro_batch = 2,
          .micro_batches = 64 / (2 * data),
          .layers = 24};
}

TEST(LayoutScalingTest, ALapThatWasMeasuredIsForecastAgain) {
  const std::vector measured{layout(8, 1, 1), layout(1, 8, 1), layout(1, 1, 8), layout(2, 2, 2)};
  std::vector<double> log_seconds;
  for (const Layout& one : measured) log_seconds.push_back(std::log(ideal_lap(one, 0.01)));
  const auto found = forecast_layouts(measured, log_seconds, measured);
  for (std::size_t i = 0; i < measured.size(); ++i) {
    EXPECT_NEAR(found[i].mid, log_seconds[i], 0.3);
    EXPECT_LT(found[i].low, log_seconds[i]);
    EXPECT_GT(found[i].high, log_seconds[i]);
  }
}

TEST(LayoutScalingTest, APipelineWaitsForItsFirstAndLastMicroBatches) {
  // 32 micro-batches in 8 stages take 39 steps of an eighth of the layers, instead of 32.
  const std::vector measured{layout(1, 1, 1), layout(1, 2, 1)};
  const std::vector<double> log_seconds{std::log(ideal_lap(measured[0], 0.01)),
                                        std::log(ideal_lap(measured[1], 0.01))};
  const std::vector asked{layout(1, 8, 1)};
  const auto found = forecast_layouts(measured, log_seconds, asked);
  EXPECT_GT(found[0].mid, log_seconds[0] + std::log(39.0 / 32 / 8) - 0.1);
  EXPECT_LT(found[0].low, log_seconds[0] + std::log(39.0 / 32 / 8) + 0.1);
}

TEST(LayoutScalingTest, MoreLayoutsNarrowTheOthers) {
  const std::vector measured{layout(1, 1, 8), layout(4, 1, 2), layout(2, 1, 4)};
  std::vector<double> log_seconds;
  for (const Layout& one : measured) log_seconds.push_back(std::log(ideal_lap(one, 0.01)));
  const std::vector asked{layout(8, 1, 1)};
  const auto width = [&](std::size_t count) {
    const auto found = forecast_layouts(std::span(measured).first(count),
                                        std::span(log_seconds).first(count), asked);
    return found[0].high - found[0].low;
  };
  EXPECT_GT(width(1), 1);
  EXPECT_LT(width(3), 0.7 * width(1));
}

}  // namespace
}  // namespace lapcast

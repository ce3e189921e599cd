// Tests what large batches need: LARS, LAMB and the warm-up of the learning rate.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "common/lamb.h"
#include "common/lars.h"
#include "common/schedule.h"

namespace lapcast::workloads {
namespace {

at::Tensor parameter_of(std::initializer_list<float> values,
                        std::initializer_list<float> gradient) {
  at::Tensor x = at::tensor(values).set_requires_grad(true);
  x.mutable_grad() = at::tensor(gradient);
  return x;
}

void expect_near(const at::Tensor& x, float first, float second) {
  EXPECT_NEAR(x[0].item<float>(), first, 1e-5);
  EXPECT_NEAR(x[1].item<float>(), second, 1e-5);
}

TEST(Lars, TakesTheStepsWorkedOutByHand) {
  // |x| = 5, |g| = 1: l = 0.1 x 5 / (1 + 0.5 x 5) = 1/7; g + decay x = (2.1, 2.8); with the rate 2
  // v = 2/7 (2.1, 2.8) = (0.6, 0.8).
  at::Tensor x = parameter_of({3, 4}, {0.6f, 0.8f});
  Lars lars({x}, {2, 0.9, 0.5, 0.1});
  lars.step();
  expect_near(x, 2.4f, 3.2f);
  // |x| = 4: l = 0.4 / 3; g + decay x = (1.8, 2.4); v = 0.9 (0.6, 0.8) + (0.48, 0.64).
  lars.step();
  expect_near(x, 1.38f, 1.84f);
  expect_near(lars.state()[0].tensors[0], 1.02f, 1.36f);
}

TEST(Lars, MovesParametersThatBeginAtZero) {
  at::Tensor x = parameter_of({0, 0}, {3, 4});
  Lars lars({x}, {2, 0.9, 0.5, 0.1});
  lars.step();  // l is the trust: 2 x 0.1 x (3, 4)
  expect_near(x, -0.6f, -0.8f);
}

TEST(Lamb, TakesTheStepsWorkedOutByHand) {
  // At first m / (1 - beta1) = g and v / (1 - beta2) = g2, so r = (1, -1) + 0.5 (3, 4) = (2.5, 1),
  // |r| = 2.6925824, and 0.1 x 5 / |r| = 0.18569534.
  at::Tensor x = parameter_of({3, 4}, {0.6f, -0.8f});
  Lamb lamb({x}, {0.1, 0.9, 0.999, 0, 0.5});
  lamb.step();
  expect_near(x, 2.5357617f, 3.8143047f);
  // Without decay: g = (2, 2), then (-1, -1). Adam's second step is r = 0.421053 / 1.580901 =
  // 0.266337 for both numbers (see Adam's test); a step always has 0.1 of the length of x.
  at::Tensor y = parameter_of({5, 5}, {2, 2});
  Lamb plain({y}, {0.1, 0.9, 0.999, 0, 0});
  plain.step();
  expect_near(y, 4.5f, 4.5f);
  y.mutable_grad() = at::full({2}, -1.0f);
  plain.step();
  expect_near(y, 4.05f, 4.05f);
  expect_near(plain.state()[0].tensors[0], 0.08f, 0.08f);
}

TEST(Lamb, MovesParametersThatBeginAtZero) {
  at::Tensor x = parameter_of({0, 0}, {3, -4});
  Lamb lamb({x}, {0.1, 0.9, 0.999, 0, 0.5});
  lamb.step();  // Adam's step
  expect_near(x, -0.1f, 0.1f);
}

TEST(WarmUp, RaisesTheRateToTheWholeOne) {
  EXPECT_EQ(warm_up_share(0, 4), 0.25);
  EXPECT_EQ(warm_up_share(2, 4), 0.75);
  EXPECT_EQ(warm_up_share(3, 4), 1);
  EXPECT_EQ(warm_up_share(99, 4), 1);
  EXPECT_EQ(warm_up_share(0, 0), 1);
  at::Tensor x = parameter_of({3, 4}, {0.6f, 0.8f});
  Lars lars({x}, {2, 0.9, 0.5, 0.1});
  lars.set_warm_up(0.5);
  lars.step();  // half of v = (0.6, 0.8)
  expect_near(x, 2.7f, 3.6f);
}

}  // namespace
}  // namespace lapcast::workloads

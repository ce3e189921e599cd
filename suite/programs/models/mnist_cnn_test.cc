#include "models/mnist_cnn.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <memory>

#include "common/adadelta.h"
#include "models/layers_test.h"
#include "models/network_test.h"
#include "models/training_test.h"

namespace lapcast::workloads {
namespace {

/// Returns a learner with the optimizer of [C] (see ../mnist_cnn.cc), which runs on one thread.
Learner<Adadelta> learner(double pool_dropout, double dense_dropout, uint64_t seed) {
  at::set_num_threads(1);
  return Learner<Adadelta>([=] { return std::make_shared<MnistCnn>(pool_dropout, dense_dropout); },
                           {.seed = seed});
}

TEST(MnistCnn, ListsItsLayers) {
  expect_layers_fit(MnistCnn(0.5, 0.5), {28 * 28, 1199882, 10});
}

TEST(MnistCnn, GivesOneLogitPerClass) {
  MnistCnn model(0.5, 0.5);
  const Batch batch = some_digits(3, MnistPart::kTest)->take(0, 3);
  EXPECT_EQ(model.forward(batch.inputs, false).sizes(), (at::IntArrayRef{3, 10}));
  EXPECT_EQ(model.forward(batch.inputs, true).sizes(), (at::IntArrayRef{3, 10}));
}

TEST(MnistCnn, ComputesWhatItsDescriptionSays) {
  at::manual_seed(3);
  MnistCnn network(0, 0);
  expect_described(network, Objective::kClassify, [](const at::Tensor& images, Weights& w) {
    at::Tensor x = at::relu(at::conv2d(images, w["conv1.weight"], w["conv1.bias"]));
    x = at::max_pool2d(at::relu(at::conv2d(x, w["conv2.weight"], w["conv2.bias"])), 2);
    x = x.permute({0, 2, 3, 1}).reshape({-1, 9216});  // channels last, as Keras flattens
    x = at::relu(at::linear(x, w["dense1.weight"], w["dense1.bias"]));
    return at::linear(x, w["dense2.weight"], w["dense2.bias"]);
  });
}

TEST(MnistCnn, OneStepLowersTheLossOfItsBatch) {
  auto trained = learner(0, 0, 1);
  const Batch batch = some_digits(64, MnistPart::kTraining)->take(0, 64);
  const double before = trained.loss_of_step(batch);
  // the network has learned nothing yet: all classes are alike
  EXPECT_NEAR(before, std::log(10), 0.3);
  EXPECT_LT(trained.validate(batch).loss(), before - 0.05);
}

TEST(MnistCnn, BeginsAndTrainsAlikeForTheSameSeed) {
  const auto loss = [](uint64_t seed) {
    auto trained = learner(0.5, 0.5, seed);
    const Batch batch = some_digits(16, MnistPart::kTraining)->take(0, 16);
    trained.loss_of_step(batch);
    return trained.loss_of_step(batch);
  };
  EXPECT_EQ(loss(1), loss(1));
  EXPECT_NE(loss(1), loss(2));
}

/// Trains one epoch with the optimizer and dropout of [C] on 5,000 digits in batches of 16, with
/// LAPCAST_LONG_TESTS=1.
TEST(MnistCnn, LearnsSyntheticDigits) {
  if (!std::getenv("LAPCAST_LONG_TESTS")) GTEST_SKIP() << "long: set LAPCAST_LONG_TESTS=1";
  auto trained = learner(0.5, 0, 1);
  trained.train_epoch(*some_digits(5000, MnistPart::kTraining), 16, 1);
  const double accuracy = trained.validate(*some_digits(1000, MnistPart::kTest)).accuracy();
  std::cout << "accuracy after one epoch of 5,000: " << accuracy << '\n';
  EXPECT_GT(accuracy, 0.80);
}

}  // namespace
}  // namespace lapcast::workloads

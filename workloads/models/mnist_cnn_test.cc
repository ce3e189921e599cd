#include "models/mnist_cnn.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <vector>

#include "common/adadelta.h"
#include "common/batches.h"
#include "common/cpus.h"
#include "common/trainer.h"
#include "data/digits.h"
#include "models/layers_test.h"

namespace lapcast::workloads {
namespace {

std::unique_ptr<BatchSource> digits(int64_t count, MnistPart part) {
  return std::make_unique<ImageBatches>(byte_images(make_digits(count, 1, part, usable_cpus())),
                                        c10::kCPU);
}

/// Holds a network with the optimizer of [C], ready to train.
struct Learner {
  Replicas replicas;
  Adadelta adadelta{replicas.network().parameters()};
  Trainer trainer{replicas, adadelta, true};

  Learner(double pool_dropout, double dense_dropout, uint64_t seed)
      : replicas(
            [=] {
              at::manual_seed(seed);
              return std::make_shared<MnistCnn>(pool_dropout, dense_dropout);
            },
            {c10::kCPU}, Objective::kClassify, false) {
    replicas.seed_dropout(seed);
  }

  double loss_of_step(const Batch& batch) {
    trainer.train(batch);
    return trainer.take_training_score().loss();
  }
};

TEST(MnistCnn, HasTheParametersOfKerasExample) {
  MnistCnn model(0.5, 0);
  int64_t count = 0;
  for (const at::Tensor& p : model.parameters()) count += p.numel();
  EXPECT_EQ(count, 1199882);
}

TEST(MnistCnn, ListsItsLayers) {
  expect_layers_fit(MnistCnn(0.5, 0.5), {28 * 28, 1199882, 10});
}

TEST(MnistCnn, GivesOneLogitPerClass) {
  MnistCnn model(0.5, 0.5);
  const Batch batch = digits(3, MnistPart::kTest)->take(0, 3);
  EXPECT_EQ(model.forward(batch.inputs, false).sizes(), (at::IntArrayRef{3, 10}));
  EXPECT_EQ(model.forward(batch.inputs, true).sizes(), (at::IntArrayRef{3, 10}));
}

/// Compares with the same network written layer by layer from the papers: logits and gradients are
/// equal.
TEST(MnistCnn, ComputesWhatItsDescriptionSays) {
  at::manual_seed(3);
  MnistCnn model(0, 0);
  const Batch batch = digits(5, MnistPart::kTest)->take(0, 5);
  const at::Tensor logits = model.forward(batch.inputs, true);
  at::cross_entropy_loss(logits, batch.labels).backward();

  std::vector<at::Tensor> p;
  for (const at::Tensor& q : model.parameters()) {
    p.push_back(q.detach().clone(at::MemoryFormat::Contiguous).set_requires_grad(true));
  }
  at::Tensor x = at::relu(at::conv2d(batch.inputs.contiguous(), p[0], p[1]));
  x = at::max_pool2d(at::relu(at::conv2d(x, p[2], p[3])), 2);
  x = x.permute({0, 2, 3, 1}).reshape({5, -1});  // channels last, as Keras flattens
  x = at::linear(at::relu(at::linear(x, p[4], p[5])), p[6], p[7]);
  at::cross_entropy_loss(x, batch.labels).backward();

  EXPECT_TRUE(at::allclose(logits, x, 1e-4, 1e-5));
  const auto parameters = model.parameters();
  for (size_t i = 0; i < p.size(); ++i) {
    EXPECT_TRUE(at::allclose(parameters[i].grad(), p[i].grad(), 1e-3, 1e-5)) << i;
  }
}

TEST(MnistCnn, OneStepLowersTheLossOfItsBatch) {
  Learner learner(0, 0, 1);
  const Batch batch = digits(64, MnistPart::kTraining)->take(0, 64);
  const double before = learner.loss_of_step(batch);
  // the network has learned nothing yet: all classes are alike
  EXPECT_NEAR(before, std::log(10), 0.3);
  EXPECT_LT(learner.trainer.validate(batch).loss(), before - 0.05);
}

TEST(MnistCnn, BeginsAndTrainsAlikeForTheSameSeed) {
  const auto loss = [](uint64_t seed) {
    Learner learner(0.5, 0.5, seed);
    const Batch batch = digits(16, MnistPart::kTraining)->take(0, 16);
    learner.loss_of_step(batch);
    return learner.loss_of_step(batch);
  };
  EXPECT_EQ(loss(1), loss(1));
  EXPECT_NE(loss(1), loss(2));
}

/// Trains one epoch with the optimizer and dropout of [C] on 5,000 digits in batches of 16. It uses
/// one thread, because two that wait for each other beside other tests take many times as long.
TEST(MnistCnn, LearnsSyntheticDigits) {
  at::set_num_threads(1);
  Learner learner(0.5, 0, 1);
  const auto training = digits(5000, MnistPart::kTraining);
  const auto test = digits(1000, MnistPart::kTest);
  training->shuffle(1, 1);
  for (int64_t first = 0; first < training->size(); first += 16) {
    const int64_t count = std::min<int64_t>(16, training->size() - first);
    learner.trainer.train(training->take(first, count));
  }
  const double accuracy = learner.trainer.validate(test->take(0, test->size())).accuracy();
  std::cout << "accuracy after one epoch of 5,000: " << accuracy << '\n';
  EXPECT_GT(accuracy, 0.80);
}

}  // namespace
}  // namespace lapcast::workloads

#include "models/seismic_fcn.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <vector>

#include "common/batches.h"
#include "common/schedule.h"
#include "common/sgd.h"
#include "data/seismic.h"
#include "models/layers_test.h"
#include "models/training_test.h"

namespace lapcast::workloads {
namespace {

ImageBatches patches(int64_t count, SeismicPart part) {
  return ImageBatches(byte_images(make_patches(count, 1, part, 2)), c10::kCPU);
}

TEST(SeismicFcn, ListsItsLayers) {
  expect_layers_fit(SeismicFcn(0.5), {64 * 64, 337506, 2});
}

TEST(SeismicFcn, GivesOneLogitPerClass) {
  SeismicFcn model(0.5);
  const Batch batch = patches(3, SeismicPart::kValidation).take(0, 3);
  EXPECT_EQ(model.forward(batch.inputs, false).sizes(), (at::IntArrayRef{3, 2}));
  EXPECT_EQ(model.forward(batch.inputs, true).sizes(), (at::IntArrayRef{3, 2}));
}

/// Compares with LeNet-5 written with dense layers: logits and gradients are equal.
TEST(SeismicFcn, ComputesWhatItsDescriptionSays) {
  at::manual_seed(3);
  SeismicFcn model(0);
  const Batch batch = patches(4, SeismicPart::kValidation).take(0, 4);
  const at::Tensor logits = model.forward(batch.inputs, true);
  at::cross_entropy_loss(logits, batch.labels).backward();

  std::vector<at::Tensor> p;
  for (const at::Tensor& q : model.parameters()) {
    p.push_back(q.detach().clone(at::MemoryFormat::Contiguous).set_requires_grad(true));
  }
  const at::Tensor amplitudes = (batch.inputs.contiguous() * 255 - 128) / 127;
  at::Tensor x = at::max_pool2d(at::relu(at::conv2d(amplitudes, p[0], p[1])), 2);
  x = at::max_pool2d(at::relu(at::conv2d(x, p[2], p[3])), 2).flatten(1);
  x = at::relu(at::linear(x, p[4].flatten(1), p[5]));
  x = at::relu(at::linear(x, p[6].flatten(1), p[7]));
  x = at::linear(x, p[8].flatten(1), p[9]);
  at::cross_entropy_loss(x, batch.labels).backward();

  EXPECT_TRUE(at::allclose(logits, x, 1e-4, 1e-5));
  const auto parameters = model.parameters();
  for (size_t i = 0; i < p.size(); ++i) {
    EXPECT_TRUE(at::allclose(parameters[i].grad(), p[i].grad(), 1e-3, 1e-5)) << i;
  }
}

/// Checks that the map of a larger section holds the scores of its patches.
TEST(SeismicFcn, MapsAWholeSection) {
  at::manual_seed(4);
  SeismicFcn model(0.5);
  const at::Tensor section = at::rand({1, 1, 68, 72});
  const at::Tensor map = model.score_map(section, false);
  ASSERT_EQ(map.sizes(), (at::IntArrayRef{1, 2, 2, 3}));
  for (int64_t row = 0; row < 2; ++row) {
    for (int64_t column = 0; column < 3; ++column) {
      const at::Tensor patch = section.narrow(2, 4 * row, 64).narrow(3, 4 * column, 64);
      EXPECT_TRUE(at::allclose(model.forward(patch.contiguous(), false)[0],
                               map.select(3, column).select(2, row)[0], 1e-4, 1e-5));
    }
  }
}

TEST(FallingRate, GoesFromTheFirstToTheLastInEqualRatios) {
  EXPECT_DOUBLE_EQ(falling_rate(0.1, 0.1, 1, 13), 0.1);
  EXPECT_DOUBLE_EQ(falling_rate(0.1, 0.1, 13, 13), 0.01);
  EXPECT_NEAR(falling_rate(0.1, 0.01, 2, 3), 0.01, 1e-15);
  EXPECT_EQ(falling_rate(0.1, 0.1, 1, 1), 0.1);
}

/// Checks what suite/docs/workloads.md states: in full with LAPCAST_LONG_TESTS=1, else in part.
TEST(SeismicFcn, LearnsSyntheticPatches) {
  const bool full = std::getenv("LAPCAST_LONG_TESTS") != nullptr;
  at::set_num_threads(full ? 2 : 1);
  const int64_t count = full ? 40512 : 1000, epochs = full ? 3 : 4, batch = full ? 256 : 16;
  const double rate = full ? 0.1 : 0.02;
  ImageBatches training = patches(count, SeismicPart::kTraining);
  const ImageBatches validation = patches(full ? 212 : 400, SeismicPart::kValidation);
  Learner<Sgd> learner([] { return std::make_shared<SeismicFcn>(0.5); }, {}, SgdOptions{rate, 0.9});
  for (int64_t epoch = 1; epoch <= epochs; ++epoch) {
    learner.optimizer().set_learning_rate(falling_rate(rate, 0.1, epoch, epochs));
    learner.train_epoch(training, batch, epoch);
  }
  const double accuracy = learner.validate(validation).accuracy();
  std::cout << "accuracy after " << epochs << " epochs of " << count << ": " << accuracy << '\n';
  EXPECT_GT(accuracy, full ? 0.98 : 0.80);
}

}  // namespace
}  // namespace lapcast::workloads

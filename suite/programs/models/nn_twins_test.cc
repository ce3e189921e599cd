#include "models/nn_twins.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <vector>

#include "common/io_table.h"
#include "common/rmsprop.h"
#include "data/io_patterns.h"
#include "models/layers_test.h"
#include "models/training_test.h"

namespace lapcast::workloads {
namespace {

TEST(NnTwins, ListsItsLayers) {
  expect_layers_fit(NnTwins(), {5, 48, 3});
  expect_layers_fit(NnTwins(3), {5, 78, 3});  // 30 + 30 + 18
}

TEST(NnTwins, BeginsAsKerasDoes) {
  at::manual_seed(1);
  const NnTwins model;
  const auto p = model.parameters();
  EXPECT_NEAR(p[0].std().item<double>(), 0.05, 0.025);  // 25 weights
  EXPECT_EQ(p[1].abs().max().item<double>(), 0);
  EXPECT_LE(p[2].abs().max().item<double>(), std::sqrt(6.0 / 8));  // Glorot: sqrt(6 / (5 + 3))
  EXPECT_EQ(p[3].abs().max().item<double>(), 0);
}

/// Compares with dense 5, ReLU, dense 3: logits and gradients are equal.
TEST(NnTwins, HasAThirdLayerOnRequest) {
  at::manual_seed(3);
  NnTwins model(3);
  const auto p = model.parameters();
  EXPECT_NEAR(p[2].std().item<double>(), 0.05, 0.025);
  const at::Tensor rows = at::randn({7, 5});
  at::Tensor x = at::relu(at::matmul(rows, p[0].t()) + p[1]);
  x = at::relu(at::matmul(x, p[2].t()) + p[3]);
  EXPECT_TRUE(at::allclose(model.forward(rows, true), at::matmul(x, p[4].t()) + p[5], 1e-5, 1e-6));
}

TEST(NnTwins, ComputesWhatItsDescriptionSays) {
  at::manual_seed(3);
  NnTwins model;
  const at::Tensor rows = at::randn({7, 5});
  const at::Tensor labels = at::randint(3, {7}, at::kLong);
  const at::Tensor logits = model.forward(rows, true);
  at::cross_entropy_loss(logits, labels).backward();

  std::vector<at::Tensor> p;
  for (const at::Tensor& q : model.parameters()) {
    p.push_back(q.detach().clone().set_requires_grad(true));
  }
  const at::Tensor hidden = at::relu(at::matmul(rows, p[0].t()) + p[1]);
  const at::Tensor expected = at::matmul(hidden, p[2].t()) + p[3];
  const at::Tensor chosen = at::log_softmax(expected, 1).gather(1, labels.unsqueeze(1));
  at::neg(chosen.mean()).backward();

  EXPECT_TRUE(at::allclose(logits, expected, 1e-5, 1e-6));
  const auto parameters = model.parameters();
  for (size_t i = 0; i < p.size(); ++i) {
    EXPECT_TRUE(at::allclose(parameters[i].grad(), p[i].grad(), 1e-5, 1e-7)) << i;
  }
}

TEST(IoTable, IsNormalisedByTheTrainingPartAlone) {
  const IoParts parts = {make_observations(900, 1, IoPart::kTraining, 1),
                         make_observations(50, 1, IoPart::kTest, 1)};
  IoParts others = parts;
  others.test.features.assign(others.test.features.size(), 1e12);
  const IoTables tables = normalised(parts);
  EXPECT_EQ(tables.training.values, normalised(others).training.values);
  EXPECT_EQ(tables.training.labels, parts.training.patterns);
  EXPECT_EQ(tables.test.labels, parts.test.patterns);
  ASSERT_EQ(tables.training.values.size(), 900u * 5);
  const at::Tensor rows =
      at::from_blob(const_cast<float*>(tables.training.values.data()), {900, 5}, at::kFloat);
  EXPECT_TRUE(at::allclose(rows.mean(0), at::zeros({5}), 0, 1e-5));
  EXPECT_TRUE(at::allclose(rows.std(0, /*unbiased=*/false), at::ones({5}), 1e-4));
}

/// Checks what suite/docs/workloads.md states: in full with LAPCAST_LONG_TESTS=1, else a tenth of
/// it.
TEST(NnTwins, LearnsSyntheticObservations) {
  at::set_num_threads(1);
  const bool full = std::getenv("LAPCAST_LONG_TESTS") != nullptr;
  const int64_t count = full ? 27238 : 8000, epochs = full ? 50 : 3;
  const IoTables tables = normalised({make_observations(count, 1, IoPart::kTraining, 2),
                                      make_observations(11674, 1, IoPart::kTest, 2)});
  TableBatches training(tables.training, c10::kCPU);
  const TableBatches test(tables.test, c10::kCPU);
  RmsPropOptions options;
  options.momentum = 0.9;
  Learner<RmsProp> learner([] { return std::make_shared<NnTwins>(); }, {}, options);
  for (int64_t epoch = 1; epoch <= epochs; ++epoch) learner.train_epoch(training, 32, epoch);
  const double accuracy = learner.validate(test).accuracy();
  std::cout << "accuracy after " << epochs << " epochs of " << count << ": " << accuracy << '\n';
  EXPECT_GT(accuracy, full ? 0.985 : 0.95);
}

}  // namespace
}  // namespace lapcast::workloads

#include "models/mnist_cnn.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <vector>

#include "common/adadelta.h"
#include "common/batches.h"
#include "common/checkpoint.h"
#include "common/classify.h"
#include "common/cpus.h"
#include "data/digits.h"

namespace lapcast::workloads {
namespace {

Forward forward_of(MnistCnn& model) {
  return
      [&model](const at::Tensor& images, bool training) { return model.forward(images, training); };
}

std::function<void()> update_of(Adadelta& adadelta) {
  return [&adadelta] {
    adadelta.step();
    adadelta.zero_grad();
  };
}

ImageBatches digits(int64_t count, MnistPart part) {
  return {make_digits(count, 1, part, usable_cpus()), c10::kCPU};
}

TEST(MnistCnn, HasTheParametersOfKerasExample) {
  MnistCnn model(0.5, 0);
  int64_t count = 0;
  for (const at::Tensor& p : model.parameters()) count += p.numel();
  EXPECT_EQ(count, 1199882);
}

TEST(MnistCnn, GivesOneLogitPerClass) {
  MnistCnn model(0.5, 0.5);
  const Batch batch = digits(3, MnistPart::kTest).take(0, 3);
  EXPECT_EQ(model.forward(batch.images, false).sizes(), (at::IntArrayRef{3, 10}));
  EXPECT_EQ(model.forward(batch.images, true).sizes(), (at::IntArrayRef{3, 10}));
}

/// The same network written down layer by layer, as the papers describe it: same logits, same
/// gradients.
TEST(MnistCnn, ComputesWhatItsDescriptionSays) {
  at::manual_seed(3);
  MnistCnn model(0, 0);
  const Batch batch = digits(5, MnistPart::kTest).take(0, 5);
  const at::Tensor logits = model.forward(batch.images, true);
  at::cross_entropy_loss(logits, batch.labels).backward();

  std::vector<at::Tensor> p;
  for (const at::Tensor& q : model.parameters()) {
    p.push_back(q.detach().clone(at::MemoryFormat::Contiguous).set_requires_grad(true));
  }
  at::Tensor x = at::relu(at::conv2d(batch.images.contiguous(), p[0], p[1]));
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
  at::manual_seed(1);
  MnistCnn model(0, 0);
  Adadelta adadelta(model.parameters(), {});
  const Batch batch = digits(64, MnistPart::kTraining).take(0, 64);
  const double before = train_on(forward_of(model), update_of(adadelta), batch).loss();
  EXPECT_NEAR(before, std::log(10), 0.3);  // nothing known yet: every class alike
  EXPECT_LT(validate_on(forward_of(model), batch).loss(), before - 0.05);
}

TEST(MnistCnn, BeginsAndTrainsAlikeForTheSameSeed) {
  const auto loss = [](uint64_t seed) {
    at::manual_seed(seed);
    MnistCnn model(0.5, 0.5);
    model.seed_dropout(seed);
    Adadelta adadelta(model.parameters(), {});
    const Batch batch = digits(16, MnistPart::kTraining).take(0, 16);
    train_on(forward_of(model), update_of(adadelta), batch);
    return train_on(forward_of(model), update_of(adadelta), batch).loss();
  };
  EXPECT_EQ(loss(1), loss(1));
  EXPECT_NE(loss(1), loss(2));
}

/// One epoch with [C]'s optimizer and dropout on 5,000 digits, in batches of 16. On one thread:
/// beside other tests, two that wait for each other take many times as long.
TEST(MnistCnn, LearnsSyntheticDigits) {
  at::set_num_threads(1);
  at::manual_seed(1);
  MnistCnn model(0.5, 0);
  model.seed_dropout(1);
  Adadelta adadelta(model.parameters(), {});
  ImageBatches training = digits(5000, MnistPart::kTraining);
  const ImageBatches test = digits(1000, MnistPart::kTest);
  training.shuffle(1, 1);
  for (int64_t first = 0; first < training.size(); first += 16) {
    const int64_t count = std::min<int64_t>(16, training.size() - first);
    train_on(forward_of(model), update_of(adadelta), training.take(first, count));
  }
  const double accuracy = validate_on(forward_of(model), test.take(0, test.size())).accuracy();
  std::cout << "accuracy after one epoch of 5,000: " << accuracy << '\n';
  EXPECT_GT(accuracy, 0.80);
}

}  // namespace
}  // namespace lapcast::workloads

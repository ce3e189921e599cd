// Tests optimizers, replicas, dropout, batches and checkpoints in one program, because loading
// LibTorch takes long.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>

#include "common/adadelta.h"
#include "common/adam.h"
#include "common/batches.h"
#include "common/checkpoint.h"
#include "common/dropout.h"
#include "common/objective.h"
#include "common/replicas.h"
#include "common/rmsprop.h"
#include "common/sgd.h"
#include "common/tensor_file.h"

namespace lapcast::workloads {
namespace {

namespace fs = std::filesystem;

at::Tensor with_gradient(const at::Tensor& value, const at::Tensor& gradient) {
  at::Tensor x = value.clone().set_requires_grad(true);
  x.mutable_grad() = gradient;
  return x;
}

TEST(Adadelta, TakesTheStepWorkedOutByHand) {
  // E[g2] = 0.05 x 4 = 0.2; d = 2 sqrt(1e-7) / sqrt(0.2 + 1e-7) = 1.41421e-3; E[d2] = 0.05 d2.
  at::Tensor x = with_gradient(at::full({1}, 5.0f), at::full({1}, 2.0f));
  Adadelta adadelta({x}, {1.0, 0.95, 1e-7});
  adadelta.step();
  EXPECT_NEAR(x.item<float>(), 5 - 1.41421e-3, 1e-6);
  EXPECT_NEAR(adadelta.state()[0].tensors[0].item<float>(), 0.2, 1e-6);
  EXPECT_NEAR(adadelta.state()[1].tensors[0].item<float>(), 1e-7, 1e-11);
  // Then E[g2] = 0.95 x 0.2 + 0.2 = 0.39; d = 2 sqrt(2e-7) / sqrt(0.39) = 1.43223e-3.
  adadelta.step();
  EXPECT_NEAR(x.item<float>(), 5 - 1.41421e-3 - 1.43223e-3, 1e-6);
}

TEST(Adadelta, OnePassAndOperatorsAgree) {
  at::manual_seed(1);
  const at::Tensor value = at::randn({7, 9}), gradient = at::randn({7, 9});
  at::Tensor dense = with_gradient(value, gradient);
  // A tensor with gaps in memory is updated by the operators.
  at::Tensor other = at::cat({value, value}, 1).narrow(1, 0, 9).set_requires_grad(true);
  other.mutable_grad() = gradient;
  Adadelta one_pass({dense}), operators({other});
  for (int i = 0; i < 5; ++i) one_pass.step(), operators.step();
  EXPECT_TRUE(at::allclose(dense, other, 1e-5, 1e-7));
  EXPECT_FALSE(at::allclose(dense, value, 1e-5, 1e-7));
}

TEST(Optimizer, RefusesAParameterWithoutGradient) {
  at::Tensor x = with_gradient(at::ones({3}), at::ones({3}));
  Adadelta adadelta({x});
  adadelta.zero_grad();
  EXPECT_FALSE(x.grad().defined());
  EXPECT_THROW(adadelta.step(), std::logic_error);
}

TEST(Adam, TakesTheStepsWorkedOutByHand) {
  // The first step is the learning rate's size whatever the gradient's: m / (1 - 0.9) = g,
  // v / (1 - 0.999) = g2, so g / |g| = 1.
  at::Tensor x = with_gradient(at::full({1}, 5.0f), at::full({1}, 2.0f));
  Adam adam({x}, {0.1, 0.9, 0.999, 0});
  adam.step();
  EXPECT_NEAR(x.item<float>(), 4.9, 1e-6);
  // Then g = -1: m = 0.9 x 0.2 - 0.1 = 0.08, over 0.19 = 0.421053; v = 0.999 x 0.004 + 0.001
  // = 0.004996, over 0.001999 = 2.49925, root 1.580901; 0.1 x 0.421053 / 1.580901 = 0.0266337.
  x.mutable_grad() = at::full({1}, -1.0f);
  adam.step();
  EXPECT_NEAR(x.item<float>(), 4.9 - 0.0266337, 1e-6);
}

TEST(Sgd, TakesTheStepsWorkedOutByHand) {
  at::Tensor x = with_gradient(at::full({1}, 5.0f), at::full({1}, 2.0f));
  Sgd sgd({x}, {0.1, 0.9});
  sgd.step();  // v = 2
  EXPECT_NEAR(x.item<float>(), 4.8, 1e-6);
  sgd.step();  // v = 0.9 x 2 + 2 = 3.8
  EXPECT_NEAR(x.item<float>(), 4.42, 1e-6);
  at::Tensor y = with_gradient(at::full({1}, 5.0f), at::full({1}, 2.0f));
  Sgd plain({y}, {0.1, 0});
  plain.step(), plain.step();
  EXPECT_NEAR(y.item<float>(), 4.6, 1e-6);
  EXPECT_TRUE(plain.state().empty());
}

TEST(RmsProp, TakesTheStepsWorkedOutByHand) {
  // E[g2] = 0.1 x 4 = 0.4, v = 2 / 0.6324555 = 3.1622777.
  at::Tensor x = with_gradient(at::full({1}, 5.0f), at::full({1}, 2.0f));
  RmsProp rmsprop({x}, {0.01, 0.9, 0.5, 0});
  rmsprop.step();
  EXPECT_NEAR(x.item<float>(), 5 - 0.031622777, 1e-6);
  // E[g2] = 0.36 + 0.4 = 0.76, v = 0.5 x 3.1622777 + 2 / 0.8717798 = 3.8752960.
  rmsprop.step();
  EXPECT_NEAR(x.item<float>(), 5 - 0.031622777 - 0.038752960, 1e-6);
}

TEST(RmsProp, OnePassAndOperatorsAgree) {
  at::manual_seed(1);
  const at::Tensor value = at::randn({7, 9}), gradient = at::randn({7, 9});
  at::Tensor one = with_gradient(value, gradient);
  at::Tensor gaps = at::cat({value, value}, 1).narrow(1, 0, 9).set_requires_grad(true);
  gaps.mutable_grad() = gradient;
  RmsProp one_pass({one}, {0.001, 0.9, 0.9}), operators({gaps}, {0.001, 0.9, 0.9});
  for (int i = 0; i < 5; ++i) one_pass.step(), operators.step();
  EXPECT_TRUE(at::allclose(one, gaps, 1e-5, 1e-7));
  EXPECT_FALSE(at::allclose(one, value, 1e-5, 1e-7));
}

/// Uses the CPU as two "devices": the two halves of the batch give the same gradients and score.
TEST(Replicas, SplitABatchWithoutChangingItsGradients) {
  struct Line : Network {
    at::Tensor weight = register_parameter("weight", at::randn({10, 6}));
    at::Tensor forward(const at::Tensor& x, bool) override { return x.matmul(weight.t()); }
    std::vector<int64_t> input_shape() const override { return {6}; }
    std::vector<LayerSize> layers() const override { return {}; }
  };
  const auto make = [] { return std::make_shared<Line>(); };
  at::manual_seed(1);
  const Batch batch{at::randn({7, 6}), at::tensor({0, 1, 2, 3, 4, 5, 9}, at::kLong)};
  Replicas two(make, {c10::kCPU, c10::kCPU}, Objective::kClassify, false);
  Replicas one(make, {c10::kCPU}, Objective::kClassify, false);
  one.network().parameters()[0].set_data(two.network().parameters()[0].detach().clone());
  const DeviceScore whole = one.add_gradients(batch), halves = two.add_gradients(batch);
  EXPECT_TRUE(at::allclose(one.network().parameters()[0].grad(),
                           two.network().parameters()[0].grad(), 1e-5, 1e-6));
  EXPECT_NEAR(whole.loss_sum.item<double>(), halves.loss_sum.item<double>(), 1e-4);
  EXPECT_EQ(whole.correct.item<int64_t>(), halves.correct.item<int64_t>());
  // A batch with fewer samples than devices runs on the first device.
  const Batch single{batch.inputs.narrow(0, 0, 1), batch.labels.narrow(0, 0, 1)};
  EXPECT_NO_THROW(two.add_gradients(single));
}

TEST(MixedPrecision, ComputesProductsInBfloat16AndLossesInFloat) {
  struct Product : Network {
    at::Tensor weight = register_parameter("weight", at::ones({4, 3}));
    at::ScalarType seen = at::kFloat;
    at::Tensor forward(const at::Tensor& x, bool) override {
      const at::Tensor y = at::linear(x, weight);
      seen = y.scalar_type();
      return y;
    }
    std::vector<int64_t> input_shape() const override { return {3}; }
    std::vector<LayerSize> layers() const override { return {}; }
  };
  const Batch batch{at::ones({2, 3}), at::tensor({0, 1}, at::kLong)};
  for (const bool bf16 : {true, false}) {
    Replicas replicas([] { return std::make_shared<Product>(); }, {c10::kCPU}, Objective::kClassify,
                      bf16);
    const DeviceScore score = replicas.add_gradients(batch);
    const auto& network = static_cast<const Product&>(replicas.network());
    EXPECT_EQ(network.seen, bf16 ? at::kBFloat16 : at::kFloat);
    EXPECT_EQ(score.loss_sum.scalar_type(), at::kFloat);
    EXPECT_EQ(network.parameters()[0].grad().scalar_type(), at::kFloat);
    EXPECT_NEAR(score.loss_sum.item<double>(), 2 * std::log(4), 1e-5);
  }
}

TEST(Objective, MeansOverTheBatch) {
  const Batch batch{at::tensor({1.0f, 3.0f}).view({2, 1}), at::tensor({0, 1}, at::kLong)};
  const at::Tensor outputs = at::zeros({2, 1});
  EXPECT_NEAR(loss_of(Objective::kReconstruct, outputs, batch).item<double>(), 5, 1e-6);
  const at::Tensor logits = at::zeros({2, 4});
  EXPECT_NEAR(loss_of(Objective::kClassify, logits, batch).item<double>(), std::log(4), 1e-6);
  EXPECT_EQ(correct_in(logits, batch.labels).item<int64_t>(), 1);
}

TEST(Dropout, DropsTheShareAndKeepsTheMean) {
  for (double probability : {0.25, 0.5}) {
    Dropout dropout(probability);
    const at::Tensor y = dropout(at::ones({100, 1003}), true);
    const double zeros = y.eq(0).sum().item<double>() / static_cast<double>(y.numel());
    EXPECT_NEAR(zeros, probability, 0.006);  // 4 deviations
    EXPECT_TRUE(
        y.eq(0).logical_or(at::isclose(y, at::full({}, 1 / (1 - probability)))).all().item<bool>());
  }
}

TEST(Dropout, KeepsTheTypeOfItsInput) {
  const at::Tensor y = Dropout(0.5)(at::ones({100}, at::kBFloat16), true);
  EXPECT_EQ(y.scalar_type(), at::kBFloat16);
  EXPECT_TRUE(y.eq(0).logical_or(y.eq(2)).all().item<bool>());
}

TEST(Dropout, IsOffInValidationAndForZero) {
  const at::Tensor x = at::rand({10});
  EXPECT_TRUE(at::equal(Dropout(0.5)(x, false), x));
  EXPECT_TRUE(at::equal(Dropout(0)(x, true), x));
  EXPECT_THROW(Dropout(1), std::invalid_argument);
}

TEST(Dropout, MasksFollowTheSeedNotTheThreads) {
  const at::Tensor x = at::ones({64, 9216});
  const int threads = at::get_num_threads();
  Dropout dropout(0.5);
  dropout.seed(1);
  const at::Tensor first = dropout(x, true), second = dropout(x, true);
  EXPECT_FALSE(at::equal(first, second));
  at::set_num_threads(1);
  dropout.seed(1);
  EXPECT_TRUE(at::equal(first, dropout(x, true)));
  at::set_num_threads(threads);
  dropout.seed(2);
  EXPECT_FALSE(at::equal(first, dropout(x, true)));
}

ByteImages tiny_set() {
  return {5, 1, 1, 2, {0, 255, 51, 102, 2, 2, 3, 3, 4, 4}, {0, 1, 2, 3, 4}};
}

TEST(ImageBatches, KeepsColoursInTheirOrder) {
  // Two colours of 1x2: red 0 51, green 102 255; last in memory: 0 102 51 255.
  const ImageBatches batches({1, 2, 1, 2, {0, 51, 102, 255}, {0}}, c10::kCPU);
  const at::Tensor x = batches.take(0, 1).inputs;
  EXPECT_EQ(x.sizes(), (at::IntArrayRef{1, 2, 1, 2}));
  EXPECT_TRUE(at::allclose(x.flatten(), at::tensor({0.0f, 0.2f, 0.4f, 1.0f})));
  EXPECT_FLOAT_EQ(x.data_ptr<float>()[1], 0.4f);
}

TEST(TableBatches, GivesRowsInTheirOrder) {
  TableBatches batches({2, {1, 2, 3, 4, 5, 6}, {0, 1, 2}}, c10::kCPU);
  EXPECT_EQ(batches.size(), 3);
  EXPECT_TRUE(
      at::equal(batches.take(1, 2).inputs, at::tensor({3.0f, 4.0f, 5.0f, 6.0f}).view({2, 2})));
  batches.shuffle(1, 1);
  const Batch all = batches.take(0, 3);
  EXPECT_TRUE(at::equal(all.inputs.select(1, 0), all.labels * 2.0f + 1));
}

TEST(ImageBatches, ScalesToOne) {
  const ImageBatches batches(tiny_set(), c10::kCPU);
  const Batch batch = batches.take(0, 2);
  EXPECT_EQ(batch.inputs.sizes(), (at::IntArrayRef{2, 1, 1, 2}));
  EXPECT_TRUE(at::allclose(batch.inputs.flatten(), at::tensor({0.0f, 1.0f, 0.2f, 0.4f})));
  EXPECT_TRUE(at::equal(batch.labels, at::tensor({0, 1}, at::kLong)));
}

TEST(ImageBatches, ShufflesByEpochWithoutLosingAny) {
  ImageBatches batches(tiny_set(), c10::kCPU);
  std::set<std::string> orders;
  for (int64_t epoch = 1; epoch <= 10; ++epoch) {
    batches.shuffle(1, epoch);
    const at::Tensor labels = batches.take(0, 5).labels;
    EXPECT_TRUE(at::equal(std::get<0>(labels.sort()), at::arange(5)));
    std::string order;
    for (int i = 0; i < 5; ++i) order += std::to_string(labels[i].item<int64_t>());
    orders.insert(order);
  }
  EXPECT_GT(orders.size(), 5u);
  const at::Tensor last = batches.take(0, 5).labels;
  batches.shuffle(1, 3);
  batches.shuffle(1, 10);
  EXPECT_TRUE(at::equal(last, batches.take(0, 5).labels));
}

class CheckpointTest : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_ = fs::temp_directory_path() / ("torch_test." + std::to_string(getpid()));
  fs::path file_ = folder_ / "checkpoint-3.pt";
};

TEST_F(CheckpointTest, ComesBack) {
  const at::Tensor weight = at::randn({4, 3, 2, 2}).contiguous(at::MemoryFormat::ChannelsLast);
  Checkpoint saved{{{"weight", weight}}, {}};
  saved.progress.epochs_done = 3;
  saved.progress.early.best = 0.975;
  saved.progress.early.epochs_since_best = 2;
  const int64_t bytes = write_checkpoint(file_, saved);
  EXPECT_EQ(bytes, static_cast<int64_t>(fs::file_size(file_)));

  const Checkpoint loaded = read_checkpoint(file_);
  EXPECT_EQ(loaded.progress.epochs_done, 3);
  EXPECT_EQ(loaded.progress.early.best, 0.975);
  EXPECT_EQ(loaded.progress.early.epochs_since_best, 2);
  at::Tensor into = at::zeros({4, 3, 2, 2}).set_requires_grad(true);
  EXPECT_TRUE(restore(loaded, "weight", into));
  EXPECT_TRUE(at::equal(into, weight));
  EXPECT_FALSE(restore(loaded, "bias", into));
  EXPECT_THROW(restore(loaded, "weight", at::zeros({4, 3})), std::runtime_error);
}

TEST_F(CheckpointTest, RefusesDamagedFilesInOneLine) {
  write_checkpoint(file_, {{{"weight", at::ones({100})}}, {}});
  for (const uintmax_t size : {fs::file_size(file_) - 1, fs::file_size(file_) / 2, uintmax_t{0}}) {
    fs::resize_file(file_, size);
    try {
      read_checkpoint(file_);
      FAIL() << "accepted";
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(error.what(), file_.string() + ": damaged, or not a checkpoint of this suite");
    }
  }
  EXPECT_THROW(write_checkpoint(folder_ / "none" / "c.pt", {}), std::runtime_error);
}

TEST_F(CheckpointTest, AFullDiskIsAnErrorAndLeavesNoFile) {
  fs::create_symlink("/dev/full", file_.string() + ".part");
  EXPECT_THROW(write_checkpoint(file_, {{{"weight", at::ones({100'000})}}, {}}),
               std::runtime_error);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(CheckpointTest, RefusesProgressOfAnotherSize) {
  const at::Tensor progress = at::ones({3}, at::kDouble);
  write_tensors(file_, {{"lapcast.progress", progress}});  // as older versions wrote it
  EXPECT_EQ(read_checkpoint(file_).progress.epochs_done, 1);
  write_tensors(file_, {{"lapcast.progress", progress}, {"lapcast.plateau", progress}});
  EXPECT_THROW(read_checkpoint(file_), std::runtime_error);
  write_tensors(file_, {{"lapcast.progress", at::ones({4}, at::kDouble)}});
  EXPECT_THROW(read_checkpoint(file_), std::runtime_error);
}

}  // namespace
}  // namespace lapcast::workloads

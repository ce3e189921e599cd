// The optimizer, dropout, batches and checkpoints: one program, since LibTorch takes long to load.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "common/adadelta.h"
#include "common/batches.h"
#include "common/checkpoint.h"
#include "common/dropout.h"

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
  EXPECT_NEAR(adadelta.squared_gradients()[0].item<float>(), 0.2, 1e-6);
  EXPECT_NEAR(adadelta.squared_steps()[0].item<float>(), 1e-7, 1e-11);
  // Then E[g2] = 0.95 x 0.2 + 0.2 = 0.39; d = 2 sqrt(2e-7) / sqrt(0.39) = 1.43223e-3.
  adadelta.step();
  EXPECT_NEAR(x.item<float>(), 5 - 1.41421e-3 - 1.43223e-3, 1e-6);
}

TEST(Adadelta, OnePassAndOperatorsAgree) {
  at::manual_seed(1);
  const at::Tensor value = at::randn({7, 9}), gradient = at::randn({7, 9});
  at::Tensor dense = with_gradient(value, gradient);
  // A gradient in another order goes the way of the operators.
  at::Tensor other = with_gradient(value, gradient.t().contiguous().t());
  Adadelta one_pass({dense}, {}), operators({other}, {});
  for (int i = 0; i < 5; ++i) one_pass.step(), operators.step();
  EXPECT_TRUE(at::allclose(dense, other, 1e-5, 1e-7));
  EXPECT_FALSE(at::allclose(dense, value, 1e-5, 1e-7));
}

TEST(Adadelta, LeavesParametersWithoutGradient) {
  at::Tensor x = with_gradient(at::ones({3}), at::ones({3}));
  Adadelta adadelta({x}, {});
  adadelta.zero_grad();
  EXPECT_FALSE(x.grad().defined());
  adadelta.step();
  EXPECT_TRUE(at::equal(x, at::ones({3})));
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

LabelledImages tiny_set() {
  LabelledImages set;
  set.images = {5, 1, 2, {0, 255, 51, 102, 2, 2, 3, 3, 4, 4}};
  set.labels = {0, 1, 2, 3, 4};
  return set;
}

TEST(ImageBatches, ScalesToOne) {
  const ImageBatches batches(tiny_set(), c10::kCPU);
  const Batch batch = batches.take(0, 2);
  EXPECT_EQ(batch.images.sizes(), (at::IntArrayRef{2, 1, 1, 2}));
  EXPECT_TRUE(at::allclose(batch.images.flatten(), at::tensor({0.0f, 1.0f, 0.2f, 0.4f})));
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

}  // namespace
}  // namespace lapcast::workloads

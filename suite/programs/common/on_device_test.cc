// Tests what does not wait for a device: batches, steps of optimizers and scores.
#include <ATen/ATen.h>
#include <ATen/record_function.h>
#include <gtest/gtest.h>
#include <torch/library.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/adadelta.h"
#include "common/batches.h"
#include "common/trainer.h"

namespace lapcast::workloads {
namespace {

/// On a GPU every operator runs over all parameters at once. The numbers are those of each alone.
TEST(Adadelta, OperatorsOverAllParametersGiveTheNumbersOfEach) {
  at::manual_seed(1);
  std::vector<at::Tensor> together;
  for (const int64_t size : {3, 1, 8}) {
    together.push_back(at::randn({size}, at::kDouble).set_requires_grad(true));
    together.back().mutable_grad() = at::randn({size}, at::kDouble);
  }
  std::vector<at::Tensor> expected;
  for (const at::Tensor& x : together) {
    const at::Tensor value = x.detach().clone(), g = x.grad();
    const at::Tensor g2 = at::zeros_like(value), d2 = at::zeros_like(value);
    for (int i = 0; i < 3; ++i) {
      g2.mul_(0.95).addcmul_(g, g, 1 - 0.95);
      const at::Tensor d = (d2 + 1e-7).sqrt_().mul_(g).div_((g2 + 1e-7).sqrt_());
      d2.mul_(0.95).addcmul_(d, d, 1 - 0.95);
      value.sub_(d, 0.5);
    }
    expected.push_back(value);
  }
  Adadelta adadelta(together, {0.5, 0.95, 1e-7});
  for (int i = 0; i < 3; ++i) adadelta.step();
  for (size_t i = 0; i < together.size(); ++i)
    EXPECT_TRUE(at::equal(together[i], expected[i])) << i;
}

struct OneLayer : Network {
  at::Tensor weight = register_parameter("weight", at::ones({3, 4}));
  at::Tensor forward(const at::Tensor& x, bool) override { return x.matmul(weight.t()); }
  std::vector<int64_t> input_shape() const override { return {4}; }
  std::vector<LayerSize> layers() const override { return {}; }
};

/// The scores of batches that are only queued, added up by the device, are those that are read one
/// by one, bit for bit.
TEST(Trainer, AddsUpOnTheDeviceWhatItReadsOneByOne) {
  const auto make = [] { return std::make_shared<OneLayer>(); };
  Replicas one(make, {c10::kCPU}, Objective::kClassify, false);
  Replicas other(make, {c10::kCPU}, Objective::kClassify, false);
  Adadelta one_rule(one.network().parameters()), other_rule(other.network().parameters());
  Trainer waits(one, one_rule, true), queues_work(other, other_rule, false);
  at::manual_seed(1);
  Score read;
  for (int i = 0; i < 20; ++i) {
    const Batch batch{at::randn({5, 4}), at::randint(0, 3, {5}, at::kLong)};
    EXPECT_TRUE(waits.train(batch));
    EXPECT_FALSE(queues_work.train(batch));
    read += waits.validate(batch);
    EXPECT_EQ(queues_work.validate(batch).samples, 0);
  }
  const Score queued = queues_work.take_validation_score();
  EXPECT_EQ(queued.loss_sum, read.loss_sum);
  EXPECT_EQ(queued.correct, read.correct);
  EXPECT_EQ(queued.samples, 100);
  EXPECT_EQ(waits.take_validation_score().samples, 0);
  EXPECT_EQ(queues_work.take_training_score().loss_sum, waits.take_training_score().loss_sum);
}

/// Returns how often `work` copies a tensor to another device or type, or reads a number of one. On
/// a GPU each of them would wait.
int64_t waiting_operators(const std::function<void()>& work) {
  static int64_t count;
  count = 0;
  const auto see = [](const at::RecordFunction& call) -> std::unique_ptr<at::ObserverContext> {
    const std::string name = call.name();
    count += name == "aten::_to_copy" || name == "aten::item";
    return nullptr;
  };
  const auto handle = at::addThreadLocalCallback(
      at::RecordFunctionCallback(see).scopes({at::RecordScope::FUNCTION}));
  work();
  at::removeCallback(handle);
  return count;
}

/// LibTorch has this operator of the device without memory in Python alone.
at::Tensor select_rows(const at::Tensor& all, int64_t dim, const at::Tensor& rows) {
  std::vector<int64_t> sizes = all.sizes().vec();
  sizes[static_cast<size_t>(dim)] = rows.size(0);
  return at::empty(sizes, all.options());
}
TORCH_LIBRARY_IMPL(aten, Meta, library) {
  library.impl("index_select", select_rows);
}

/// A device without memory stands for a GPU.
TEST(Batches, AreTakenOnADeviceWithoutACopyFromTheHost) {
  TableBatches rows({1, {1, 2, 3, 4}, {0, 1, 2, 3}}, c10::kMeta);
  EXPECT_EQ(waiting_operators([&] { rows.shuffle(1, 1); }), 1);
  EXPECT_EQ(waiting_operators([&] { rows.take(0, 2); }), 0);
  const ImageBatches images({2, 1, 2, 2, std::vector<uint8_t>(8), {0, 1}}, c10::kMeta);
  EXPECT_EQ(waiting_operators([&] { images.take(0, 2); }), 1);  // from bytes to floats
}

TEST(Trainer, ReadsTheScoreOfAValidationOnce) {
  Replicas replicas([] { return std::make_shared<OneLayer>(); }, {c10::kCPU}, Objective::kClassify,
                    false);
  Adadelta rule(replicas.network().parameters());
  Trainer trainer(replicas, rule, /*waits_for_each=*/false);
  const Batch batch{at::randn({5, 4}), at::zeros({5}, at::kLong)};
  trainer.validate(batch);
  trainer.validate(batch);
  EXPECT_EQ(waiting_operators([&] { trainer.take_validation_score(); }), 2);  // loss, answers
}

}  // namespace
}  // namespace lapcast::workloads

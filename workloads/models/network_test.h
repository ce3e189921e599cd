#pragma once

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "common/batches.h"
#include "common/cpus.h"
#include "common/network.h"
#include "common/objective.h"
#include "common/trainer.h"
#include "data/digits.h"

namespace lapcast::workloads {

/// Returns synthetic digits in the form on which the MNIST programs train.
inline std::unique_ptr<BatchSource> some_digits(int64_t count, MnistPart part) {
  return std::make_unique<ImageBatches>(byte_images(make_digits(count, 1, part, usable_cpus())),
                                        c10::kCPU);
}

/// Holds copies of a network's parameters by name, contiguous in memory.
using Weights = std::map<std::string, at::Tensor>;

/// Computes a network's outputs layer by layer.
using Description = std::function<at::Tensor(const at::Tensor& images, Weights& weights)>;

/// Expects that the network (without dropout) and its description give the same outputs and, for
/// the objective's loss, the same gradients.
inline void expect_described(Network& network, Objective objective, const Description& describe) {
  const Batch batch = some_digits(5, MnistPart::kTest)->take(0, 5);
  const at::Tensor outputs = network.forward(batch.inputs, true);
  loss_of(objective, outputs, batch).backward();

  Weights weights;
  for (const auto& p : network.named_parameters()) {
    weights[p.key()] =
        p.value().detach().clone(at::MemoryFormat::Contiguous).set_requires_grad(true);
  }
  const at::Tensor described = describe(batch.inputs.contiguous(), weights);
  loss_of(objective, described, batch).backward();

  EXPECT_TRUE(at::allclose(outputs, described, 1e-4, 1e-5));
  for (const auto& p : network.named_parameters()) {
    const at::Tensor expected = weights[p.key()].grad();
    EXPECT_TRUE(at::allclose(p.value().grad(), expected, 1e-3, 1e-5)) << p.key();
  }
}

/// Holds a network with its optimizer, ready to train. It uses one thread, because two that wait
/// for each other beside other tests take many times as long.
template <typename Rule>
class Learner {
 public:
  Learner(const std::function<std::shared_ptr<Network>()>& make, Objective objective,
          uint64_t seed = 1, bool bf16 = false)
      : replicas_(
            [&] {
              at::set_num_threads(1);
              at::manual_seed(seed);
              return make();
            },
            {c10::kCPU}, objective, bf16) {
    replicas_.seed_dropout(seed);
  }

  double loss_of_step(const Batch& batch) {
    trainer_.train(batch);
    return trainer_.take_training_score().loss();
  }

  /// Makes one pass over the set, in a random order that depends on the epoch.
  void pass(BatchSource& set, int64_t batch, int64_t epoch) {
    set.shuffle(1, epoch);
    for (int64_t first = 0; first < set.size(); first += batch) {
      trainer_.train(set.take(first, std::min(batch, set.size() - first)));
    }
  }

  Score validate(const BatchSource& set) { return trainer_.validate(set.take(0, set.size())); }

 private:
  Replicas replicas_;
  Rule rule_{replicas_.network().parameters()};
  Trainer trainer_{replicas_, rule_, true};
};

}  // namespace lapcast::workloads

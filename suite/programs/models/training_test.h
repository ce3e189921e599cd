#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>

#include "common/batches.h"
#include "common/optimizer.h"
#include "common/trainer.h"

namespace lapcast::workloads {

struct LearnerSetup {
  Objective objective = Objective::kClassify;
  uint64_t seed = 1;
  bool bf16 = false;
};

/// Holds a network on the CPU with its optimizer and trains it as the programs do. Tests call
/// at::set_num_threads(1) before, because threads that wait for each other beside other tests take
/// many times as long.
template <typename Rule>
class Learner {
 public:
  /// make() returns the network with the weights that follow from the seed; `options` are the
  /// rule's.
  template <typename... Options>
  explicit Learner(const std::function<std::shared_ptr<Network>()>& make,
                   const LearnerSetup& setup = {}, const Options&... options)
      : replicas_(
            [&] {
              at::manual_seed(setup.seed);
              return make();
            },
            {c10::kCPU}, setup.objective, setup.bf16),
        rule_(replicas_.network().parameters(), options...) {
    replicas_.seed_dropout(setup.seed);
  }

  double loss_of_step(const Batch& batch) {
    trainer_.train(batch);
    return trainer_.take_training_score().loss();
  }

  /// Trains an epoch in a random order that depends on its number. Returns its mean loss.
  double train_epoch(BatchSource& data, int64_t batch, int64_t epoch) {
    data.shuffle(1, epoch);
    for (int64_t first = 0; first < data.size(); first += batch) {
      trainer_.train(data.take(first, std::min(batch, data.size() - first)));
    }
    return trainer_.take_training_score().loss();
  }

  Score validate(const Batch& batch) { return trainer_.validate(batch); }

  Score validate(const BatchSource& data) {
    constexpr int64_t kBatch = 256;
    Score score;
    for (int64_t first = 0; first < data.size(); first += kBatch) {
      score += validate(data.take(first, std::min(kBatch, data.size() - first)));
    }
    return score;
  }

  Optimizer& optimizer() { return rule_; }

 private:
  Replicas replicas_;
  Rule rule_;
  Trainer trainer_{replicas_, rule_, true};
};

}  // namespace lapcast::workloads

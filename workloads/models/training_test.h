#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "common/batches.h"
#include "common/optimizer.h"
#include "common/trainer.h"

namespace lapcast::workloads {

/// Holds a network on the CPU with its optimizer and trains it as the programs do.
template <typename Rule, typename RuleOptions>
class TestLearner {
 public:
  /// make() returns the network with the weights that follow from the seed.
  template <typename Make>
  TestLearner(Make make, uint64_t seed, RuleOptions options)
      : replicas_(
            [=]() -> std::shared_ptr<Network> {
              at::manual_seed(seed);
              return make();
            },
            {c10::kCPU}, Objective::kClassify, false),
        rule_(replicas_.network().parameters(), options) {
    replicas_.seed_dropout(seed);
  }

  /// Trains an epoch in a random order. Returns its mean loss.
  double train_epoch(BatchSource& data, int64_t batch, int64_t epoch) {
    data.shuffle(1, epoch);
    for (int64_t first = 0; first < data.size(); first += batch) {
      trainer_.train(data.take(first, std::min(batch, data.size() - first)));
    }
    return trainer_.take_training_score().loss();
  }

  double accuracy(const BatchSource& data) {
    constexpr int64_t kBatch = 256;
    Score score;
    for (int64_t first = 0; first < data.size(); first += kBatch) {
      score += trainer_.validate(data.take(first, std::min(kBatch, data.size() - first)));
    }
    return score.accuracy();
  }

  Optimizer& optimizer() { return rule_; }

 private:
  Replicas replicas_;
  Rule rule_;
  Trainer trainer_{replicas_, rule_, true};
};

}  // namespace lapcast::workloads

#include "common/trainer.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

namespace lapcast::workloads {
namespace {

constexpr int64_t kFirstIterations = 3;
constexpr std::chrono::milliseconds kWaitEvery(250);

Score read(const DeviceScore& score, int64_t samples) {
  return {score.loss_sum.item<double>(),
          score.correct.defined() ? score.correct.item<int64_t>() : 0, samples};
}

}  // namespace

Trainer::Trainer(Replicas& replicas, Optimizer& optimizer, bool waits_for_each)
    : replicas_(replicas), optimizer_(optimizer), waits_for_each_(waits_for_each) {}

bool Trainer::is_time_to_wait() const {
  return waits_for_each_ || iterations_ <= kFirstIterations || Clock::now() - waited_ > kWaitEvery;
}

bool Trainer::train(const Batch& batch) {
  const DeviceScore score = replicas_.add_gradients(batch);
  optimizer_.step();
  optimizer_.zero_grad();
  replicas_.broadcast();
  if (pending_samples_ == 0) {
    pending_ = score;
  } else {
    pending_.loss_sum = pending_.loss_sum + score.loss_sum;
    if (score.correct.defined()) pending_.correct = pending_.correct + score.correct;
  }
  pending_samples_ += batch.inputs.size(0);
  ++iterations_;
  if (!is_time_to_wait()) return false;
  score_ += take_pending();
  waited_ = Clock::now();
  return true;
}

Score Trainer::take_pending() {
  if (pending_samples_ == 0) return {};
  const Score score = read(pending_, pending_samples_);
  pending_samples_ = 0;
  return score;
}

Score Trainer::validate(const Batch& batch) {
  return read(replicas_.validate(batch), batch.inputs.size(0));
}

Score Trainer::take_training_score() {
  score_ += take_pending();
  const Score score = score_;
  score_ = {};
  return score;
}

}  // namespace lapcast::workloads

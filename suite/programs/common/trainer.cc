#include "common/trainer.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <utility>

#include "common/schedule.h"

namespace lapcast::workloads {

void DeviceSum::add(const DeviceScore& score, int64_t samples) {
  if (samples_ == 0) {
    sum_ = score;
  } else {
    sum_.loss_sum = sum_.loss_sum.to(at::kDouble) + score.loss_sum;
    if (score.correct.defined()) sum_.correct = sum_.correct + score.correct;
  }
  samples_ += samples;
}

Score DeviceSum::take() {
  if (samples_ == 0) return {};
  const int64_t correct = sum_.correct.defined() ? sum_.correct.item<int64_t>() : 0;
  return {sum_.loss_sum.item<double>(), correct, std::exchange(samples_, 0)};
}

Trainer::Trainer(Replicas& replicas, Optimizer& optimizer, bool waits_for_each)
    : replicas_(replicas), optimizer_(optimizer) {
  if (!waits_for_each) clock_.emplace(replicas.devices());
}

void Trainer::warm_up(int64_t steps, int64_t done) {
  warm_up_ = steps;
  laps_before_ = done;
}

bool Trainer::train(const Batch& batch, int64_t samples_of_all) {
  const int64_t samples = batch.inputs.size(0);
  if (clock_ && laps_ == 0) clock_->tie();
  if (samples > 0) iterations_.add(replicas_.add_gradients(batch), samples);
  optimizer_.set_warm_up(warm_up_share(laps_before_ + laps_, warm_up_));
  if (exchange_) {
    exchange_->step(static_cast<double>(samples) / static_cast<double>(samples_of_all));
  } else {
    optimizer_.step();
  }
  optimizer_.zero_grad();
  replicas_.broadcast();
  ++laps_;
  if (clock_) {
    clock_->mark(laps_);
    return false;
  }
  score_ += iterations_.take();
  return true;
}

Score Trainer::validate(const Batch& batch) {
  validations_.add(replicas_.validate(batch), batch.inputs.size(0));
  return clock_ ? Score{} : validations_.take();
}

Score Trainer::take_training_score() {
  score_ += iterations_.take();
  if (clock_) clock_->tie();
  return std::exchange(score_, {});
}

}  // namespace lapcast::workloads

#pragma once

#include <chrono>

#include "common/optimizer.h"
#include "common/replicas.h"
#include "common/train.h"

namespace lapcast::workloads {

/// Iterations of one network with its optimizer, and what they come to.
///
/// On a GPU an iteration only queues its work. The trainer waits for the device in the first
/// iterations and then four times a second, so that laps are known to be finished every now and
/// then and the CPU never runs far ahead, while the device does not idle at every lap.
class Trainer {
 public:
  Trainer(Replicas& replicas, Optimizer& optimizer, bool waits_for_each);

  /// One iteration: loss, gradients, step. False when its work may still be going on.
  bool train(const Batch& batch);

  Score validate(const Batch& batch);

  /// The iterations since the last call, added up; waits for the device.
  Score take_training_score();

 private:
  using Clock = std::chrono::steady_clock;

  bool is_time_to_wait() const;
  Score take_pending();  // waits for the device

  Replicas& replicas_;
  Optimizer& optimizer_;
  bool waits_for_each_;
  DeviceScore pending_;  // added up on the device
  int64_t pending_samples_ = 0;
  Score score_;
  int64_t iterations_ = 0;
  Clock::time_point waited_ = Clock::now();
};

}  // namespace lapcast::workloads

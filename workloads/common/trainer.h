#pragma once

#include <chrono>

#include "common/optimizer.h"
#include "common/replicas.h"
#include "common/train.h"

namespace lapcast::workloads {

/// Runs iterations of one network with its optimizer and adds up their scores.
///
/// On a GPU an iteration only queues its work. The trainer waits for the device in the first
/// iterations and then four times a second. So the laps that are known to be finished are never old
/// and the CPU never runs far ahead, while the device does not idle at every lap.
class Trainer {
 public:
  Trainer(Replicas& replicas, Optimizer& optimizer, bool waits_for_each);

  /// Runs one iteration: loss, gradients, step. Returns false when its work may not be finished.
  bool train(const Batch& batch);

  Score validate(const Batch& batch);

  /// Returns the score of the iterations since the last call; waits for the device.
  Score take_training_score();

 private:
  using Clock = std::chrono::steady_clock;

  bool is_time_to_wait() const;
  Score take_pending();  // Waits for the device.

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

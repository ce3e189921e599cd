#pragma once

#include <optional>

#include "common/device_clock.h"
#include "common/exchange.h"
#include "common/optimizer.h"
#include "common/replicas.h"
#include "common/train.h"

namespace lapcast::workloads {

/// Adds up scores on their device.
class DeviceSum {
 public:
  void add(const DeviceScore& score, int64_t samples);

  /// Returns the sum, and begins anew. Waits for the device.
  Score take();

 private:
  DeviceScore sum_;  // of several scores the loss is in fp64
  int64_t samples_ = 0;
};

/// Runs iterations of one network with its optimizer and adds up their scores.
///
/// On a GPU an iteration only queues its work, and the trainer waits for the device only at the
/// start and when a score is taken. A clock of the device says later when each iteration ended.
class Trainer {
 public:
  /// waits_for_each: every iteration and validation is finished when its call returns.
  Trainer(Replicas& replicas, Optimizer& optimizer, bool waits_for_each);

  /// Lets the learning rate rise over the first steps of a training, of which `done` were made
  /// before.
  void warm_up(int64_t steps, int64_t done);

  /// Makes steps together with other replicas.
  void join(Exchange& exchange) { exchange_ = &exchange; }

  /// Runs one iteration: loss, gradients, step. The batch is a part of one of `samples_of_all`, or
  /// has no samples. Returns false when its work may not be finished.
  bool train(const Batch& batch, int64_t samples_of_all);
  bool train(const Batch& batch) { return train(batch, batch.inputs.size(0)); }

  /// Scores a batch. Returns the score, or nothing when take_validation_score() will have it.
  Score validate(const Batch& batch);

  /// Returns the score of the validations whose work was only queued; waits for the device.
  Score take_validation_score() { return validations_.take(); }

  /// Returns the score of the iterations since the last call; waits for the device.
  Score take_training_score();

 private:
  Replicas& replicas_;
  Optimizer& optimizer_;
  Exchange* exchange_ = nullptr;
  std::optional<DeviceClock> clock_;  // none where each is waited for
  DeviceSum iterations_;
  DeviceSum validations_;
  Score score_;
  int64_t laps_ = 0;
  int64_t laps_before_ = 0;
  int64_t warm_up_ = 0;
};

}  // namespace lapcast::workloads

#pragma once

#include <c10/core/Device.h>

#include <functional>
#include <memory>
#include <vector>

#include "common/batches.h"
#include "common/network.h"
#include "common/objective.h"

namespace lapcast::workloads {

/// Holds the sums of a pass over a batch, which are still on their device.
struct DeviceScore {
  at::Tensor loss_sum;  ///< each sample's loss, added up
  at::Tensor correct;   ///< samples classified correctly; undefined for kReconstruct
};

/// Holds one copy of a network per device for synchronous data parallelism. A batch is split
/// evenly, every device computes the gradients of its share, and they are added up on the first
/// device, whose network is optimised, validated and saved. With one device nothing is copied.
///
/// Batch normalisation uses only the device's share of the batch. Its running averages are those of
/// the first device, as in PyTorch's DataParallel.
class Replicas {
 public:
  /// make() builds the network on the CPU; every replica receives the first one's weights.
  Replicas(const std::function<std::shared_ptr<Network>()>& make, std::vector<c10::Device> devices,
           Objective objective, bool bf16);

  const std::vector<c10::Device>& devices() const { return devices_; }

  /// Returns the first replica.
  Network& network() { return *networks_.front(); }

  /// Adds the gradients of the batch's mean loss to those of network(). A batch with fewer samples
  /// than devices runs on the first device.
  DeviceScore add_gradients(const Batch& batch);

  /// Scores a batch on the first device without training.
  DeviceScore validate(const Batch& batch);

  /// Copies the first replica's weights to the others. It must be called after each step and after
  /// loading.
  void broadcast();

  void seed_dropout(uint64_t seed);

 private:
  /// Computes the gradients of one replica's share, whose mean loss counts with `weight`.
  DeviceScore backward(size_t replica, const Batch& share, double weight);
  void collect_gradients(size_t replicas);

  std::vector<c10::Device> devices_;
  std::vector<std::shared_ptr<Network>> networks_;
  Objective objective_;
  bool bf16_;
};

}  // namespace lapcast::workloads

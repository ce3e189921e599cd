#pragma once

#include <c10/core/Device.h>

#include <functional>
#include <memory>
#include <vector>

#include "common/batches.h"
#include "common/network.h"
#include "common/objective.h"

namespace lapcast::workloads {

/// The sums of a pass over a batch, still on its device.
struct DeviceScore {
  at::Tensor loss_sum;  ///< each sample's loss, added up
  at::Tensor correct;   ///< samples classified right; undefined when nothing is classified
};

/// One network on each of some devices: synchronous data parallelism ([M], chapter 2). A batch is
/// split evenly, every device works out the gradients of its share, and they are added up on the
/// first device, whose network is the one that is optimised, validated and saved. With one device
/// nothing is copied.
///
/// Batch normalisation sees a device's share of the batch; its running averages are the first
/// device's, as with PyTorch's DataParallel.
class Replicas {
 public:
  /// make() builds the network on the CPU; every replica gets the first one's weights.
  Replicas(const std::function<std::shared_ptr<Network>()>& make, std::vector<c10::Device> devices,
           Objective objective, bool bf16);

  /// The first replica.
  Network& network() { return *networks_.front(); }

  /// Adds up the gradients of the batch's mean loss on network(). A batch of fewer samples than
  /// devices stays on the first.
  DeviceScore add_gradients(const Batch& batch);

  /// Scores a batch without training, on the first device.
  DeviceScore validate(const Batch& batch);

  /// Gives the others the first one's weights. Call it after each step and after loading.
  void broadcast();

  void seed_dropout(uint64_t seed);

 private:
  /// Gradients of one replica's share, of whose mean loss `weight` counts.
  DeviceScore backward(size_t replica, const Batch& share, double weight);
  void collect_gradients(size_t replicas);

  std::vector<c10::Device> devices_;
  std::vector<std::shared_ptr<Network>> networks_;
  Objective objective_;
  bool bf16_;
};

}  // namespace lapcast::workloads

#pragma once

#include "common/memory_exchange.h"

namespace lapcast::workloads {

/// Lets rank 0 be a parameter server beside its training: it adds up the gradients of all, steps,
/// and gives its weights to the others.
class ServerExchange : public MemoryExchange {
 public:
  ServerExchange(const Replica& replica, Network& network, Optimizer& optimizer);
  bool is_synchronous() const override { return true; }

 protected:
  int64_t exchange_and_step(double weight) override;

 private:
  /// Does the server's part between the meetings.
  void serve();

  SharedTensors gradients_;  // those of each replica
  SharedTensors weights_;
};

/// Lets all replicas change the same weights, with the same state of the optimizer, one after the
/// other and each at its own pace. A replica computes the gradients of the weights that it had
/// after its last step. How many steps others made since then is the staleness of the gradients.
class AsyncExchange : public MemoryExchange {
 public:
  AsyncExchange(const Replica& replica, Network& network, Optimizer& optimizer);
  bool is_synchronous() const override { return false; }
  void settle() override;

 protected:
  int64_t exchange_and_step(double weight) override;

 private:
  /// Replaces the memory of the optimizer's state by the shared one.
  void share_state();

  SharedTensors weights_;
  std::vector<at::Tensor> state_;  // handles to the optimizer's
  SharedTensors shared_state_;
  int64_t updates_seen_ = 0;
};

}  // namespace lapcast::workloads

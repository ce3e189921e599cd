#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "common/exchange.h"
#include "common/shared_tensors.h"

namespace lapcast::workloads {

/// Exchanges tensors on the CPU through memory that all replicas map.
class MemoryExchange : public Exchange {
 public:
  MemoryExchange(const Replica& replica, Network& network, Optimizer& optimizer);
  void settle() override;

 protected:
  /// Writes the gradients x weight into the tensors, or zeros, and frees the gradients.
  void give_gradients(double weight, const std::vector<at::Tensor>& to);

  /// Makes these tensors the gradients, without a copy.
  void take_gradients(const std::vector<at::Tensor>& from);

  /// Returns the byte at which more shared tensors may begin.
  int64_t free_at() const { return shared_averages_.end(); }

 private:
  std::vector<at::Tensor> averages_;  // the buffers of the network
  SharedTensors shared_averages_;
};

/// Adds up gradients: each replica adds up its part of them, in the order of the ranks, so that all
/// get the same sums. Then each steps by itself.
class MemoryAllReduce : public MemoryExchange {
 public:
  MemoryAllReduce(const Replica& replica, Network& network, Optimizer& optimizer);
  bool is_synchronous() const override { return true; }

 protected:
  int64_t exchange_and_step(double weight) override;

 private:
  void add_up_part();

  SharedTensors gradients_;  // those of each replica, then their sums
};

/// Measures the time since it was made.
class Stopwatch {
 public:
  int64_t ns() const;

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace lapcast::workloads

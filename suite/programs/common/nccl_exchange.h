#pragma once

#include <vector>

#include "common/exchange.h"

namespace lapcast::workloads {

/// Adds up gradients on GPUs, one for each replica, by NCCL, which CUDA's LibTorch brings along. It
/// is looked up in the process, so that the programs are built without it. The work is queued on
/// the GPUs, so that its time is not measured.
class NcclAllReduce : public Exchange {
 public:
  /// Throws DeviceError when the process has no NCCL, or it cannot connect the GPUs.
  NcclAllReduce(const Replica& replica, Network& network, Optimizer& optimizer);
  ~NcclAllReduce() override;
  bool is_synchronous() const override { return true; }
  void settle() override;

 protected:
  int64_t exchange_and_step(double weight) override;

 private:
  struct Library;

  std::vector<at::Tensor> averages_;   // the buffers of the network
  at::Tensor all_;                     // the numbers of all gradients
  std::vector<at::Tensor> gradients_;  // views of it
  std::unique_ptr<Library> nccl_;
  void* communicator_ = nullptr;
};

}  // namespace lapcast::workloads

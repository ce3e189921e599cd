#include "common/nccl_exchange.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/GradMode.h>
#include <dlfcn.h>

#include <algorithm>
#include <string>

#include "common/device.h"

namespace lapcast::workloads {
namespace {

// What nccl.h of NCCL 2 declares.
struct NcclId {
  char internal[128];
};
constexpr int kNcclFloat = 7;
constexpr int kNcclSum = 0;
using NcclStream = void*;
constexpr NcclStream kDefaultStream = nullptr;  // that of LibTorch, too, where nobody sets another

template <typename Function>
void find_symbol(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  if (!function) throw DeviceError(std::string("--replicas with cuda: NCCL has no ") + name);
}

}  // namespace

/// Holds the functions of NCCL. Those that return a number return 0 when all is well.
struct NcclAllReduce::Library {
  const char* (*error_text)(int);
  int (*get_id)(NcclId*);
  int (*connect)(void** communicator, int replicas, NcclId id, int rank);
  int (*disconnect)(void* communicator);
  int (*all_reduce)(const void* from, void* to, size_t numbers, int type, int operation,
                    void* communicator, NcclStream stream);
  int (*broadcast)(const void* from, void* to, size_t numbers, int type, int root,
                   void* communicator, NcclStream stream);

  Library() {
    void* library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_GLOBAL);
    if (!library) library = dlopen(nullptr, RTLD_NOW);  // it may be a part of libtorch_cuda
    find_symbol(library, "ncclGetErrorString", error_text);
    find_symbol(library, "ncclGetUniqueId", get_id);
    find_symbol(library, "ncclCommInitRank", connect);
    find_symbol(library, "ncclCommDestroy", disconnect);
    find_symbol(library, "ncclAllReduce", all_reduce);
    find_symbol(library, "ncclBroadcast", broadcast);
  }

  void check(int result) const {
    if (result != 0) throw DeviceError(std::string("NCCL: ") + error_text(result));
  }
};

NcclAllReduce::NcclAllReduce(const Replica& replica, Network& network, Optimizer& optimizer)
    : Exchange(replica, optimizer),
      averages_(network.buffers()),
      nccl_(std::make_unique<Library>()) {
  int64_t numbers = 0;
  for (const at::Tensor& p : parameters()) numbers += p.numel();
  all_ = at::zeros({numbers}, parameters().front().options().requires_grad(false));
  int64_t at = 0;
  for (const at::Tensor& p : parameters()) {
    gradients_.push_back(all_.narrow(0, at, p.numel()).as_strided(p.sizes(), p.strides()));
    at += p.numel();
  }
  NcclId id = {};
  auto& shared_id = replica.board->nccl_id;
  if (replica.share.rank == 0) {
    nccl_->check(nccl_->get_id(&id));
    std::copy_n(id.internal, shared_id.size(), shared_id.begin());
  }
  meet();
  std::copy_n(shared_id.begin(), shared_id.size(), id.internal);
  const c10::DeviceGuard guard(all_.device());
  nccl_->check(nccl_->connect(&communicator_, static_cast<int>(replica.share.replicas), id,
                              static_cast<int>(replica.share.rank)));
}

NcclAllReduce::~NcclAllReduce() {
  if (communicator_) nccl_->disconnect(communicator_);
}

void NcclAllReduce::settle() {
  const c10::DeviceGuard guard(all_.device());
  for (const at::Tensor& average : averages_) {
    nccl_->check(nccl_->broadcast(average.data_ptr(), average.data_ptr(),
                                  static_cast<size_t>(average.numel()), kNcclFloat, 0,
                                  communicator_, kDefaultStream));
  }
  meet();
}

int64_t NcclAllReduce::exchange_and_step(double weight) {
  const c10::AutoGradMode no_grad(false);
  for (size_t i = 0; i < gradients_.size(); ++i) {
    at::Tensor parameter = parameters()[i];
    if (weight > 0 && parameter.grad().defined()) {
      at::mul_out(gradients_[i], parameter.grad(), weight);
    } else {
      gradients_[i].zero_();
    }
    parameter.mutable_grad() = gradients_[i];
  }
  meet();
  tell_wanted();
  const c10::DeviceGuard guard(all_.device());
  nccl_->check(nccl_->all_reduce(all_.data_ptr(), all_.data_ptr(),
                                 static_cast<size_t>(all_.numel()), kNcclFloat, kNcclSum,
                                 communicator_, kDefaultStream));
  meet();
  hear_wanted();
  optimizer().step();
  return 0;
}

}  // namespace lapcast::workloads

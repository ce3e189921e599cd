#include "common/device.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <dlfcn.h>

namespace lapcast::workloads {

void use_threads(int threads) {
  at::set_num_threads(threads);
  at::set_num_interop_threads(1);
}

c10::Device choose_device(bool cuda) {
  if (!cuda) return c10::Device(c10::kCPU);
  // The programs link the CPU part only (see FindLibTorch.cmake). The GPU part registers its
  // operators as it is loaded.
  if (!dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL) && !at::globalContext().hasCUDA()) {
    throw DeviceError(
        "--device cuda: this LibTorch has no CUDA part; build with a CUDA wheel of PyTorch, or use "
        "--device cpu");
  }
  if (at::globalContext().hasCUDA()) return c10::Device(c10::kCUDA, 0);
  throw DeviceError("--device cuda: no usable GPU here; use --device cpu");
}

}  // namespace lapcast::workloads

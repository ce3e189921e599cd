#include "common/device.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <dlfcn.h>

#include <string>

#include "common/device_allocator.h"

namespace lapcast::workloads {

void use_threads(int threads) {
  at::set_num_threads(threads);
  at::set_num_interop_threads(1);
}

std::vector<c10::Device> choose_devices(bool cuda, int64_t gpus) {
  if (!cuda) return {c10::Device(c10::kCPU)};
  // The programs link only the CPU part (see FindLibTorch.cmake). Loading the GPU part registers
  // its operators.
  if (!dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL) && !at::globalContext().hasCUDA()) {
    throw DeviceError(
        "--device cuda: this LibTorch has no CUDA part; build with a CUDA wheel of PyTorch, or use "
        "--device cpu");
  }
  const int64_t found =
      at::globalContext().hasCUDA() ? at::detail::getCUDAHooks().deviceCount() : 0;
  if (found == 0) throw DeviceError("--device cuda: no usable GPU here; use --device cpu");
  if (found < gpus) {
    throw DeviceError("--device cuda: " + std::to_string(gpus) +
                      " GPUs are wanted, and this machine has " + std::to_string(found));
  }
  std::vector<c10::Device> devices;
  for (int64_t i = 0; i < gpus; ++i) {
    devices.emplace_back(c10::kCUDA, static_cast<c10::DeviceIndex>(i));
  }
  return devices;
}

int64_t most_bytes_held([[maybe_unused]] const std::vector<c10::Device>& devices) {
  int64_t bytes = 0;
#ifdef LAPCAST_DEVICE_ALLOCATOR
  for (const c10::Device& device : devices) {
    if (device.is_cpu()) continue;
    const auto allocator = dynamic_cast<c10::DeviceAllocator*>(c10::GetAllocator(device.type()));
    if (allocator) bytes += allocator->getDeviceStats(device.index()).reserved_bytes[0].peak;
  }
#endif
  return bytes;
}

}  // namespace lapcast::workloads

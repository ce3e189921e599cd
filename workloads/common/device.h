#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <stdexcept>
#include <vector>

namespace lapcast::workloads {

/// Sets the threads of LibTorch's operators, of its matrix library and of oneDNN, which share one
/// OpenMP pool, and leaves the pool for independent operators at one. Call it before the first
/// operator runs.
void use_threads(int threads);

/// The device asked for is not there. One line for the user.
struct DeviceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The CPU, or the first `gpus` GPUs of this machine. Throws DeviceError when there are not so many,
/// or this LibTorch cannot use one.
std::vector<c10::Device> choose_devices(bool cuda, int64_t gpus);

}  // namespace lapcast::workloads

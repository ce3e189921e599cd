#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <stdexcept>
#include <vector>

namespace lapcast::workloads {

/// Sets the number of threads of LibTorch's operators, of its matrix library and of oneDNN, which
/// share one OpenMP pool, and sets the pool for independent operators to one thread. It must be
/// called before the first operator runs.
void use_threads(int threads);

/// Reports, in one line for the user, that the requested device is not available.
struct DeviceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Returns the CPU, or the first `gpus` GPUs of this machine. Throws DeviceError when the machine
/// has fewer GPUs or this LibTorch cannot use one.
std::vector<c10::Device> choose_devices(bool cuda, int64_t gpus);

/// Returns the most bytes that this process has held on the devices so far, with what LibTorch
/// keeps for later; 0 on a CPU, and where LibTorch is older than 2.9 and does not tell.
int64_t most_bytes_held(const std::vector<c10::Device>& devices);

}  // namespace lapcast::workloads

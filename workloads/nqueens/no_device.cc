// Stands in for device.cu where the build found no CUDA compiler.
#include "nqueens/device.h"

namespace lapcast::workloads::nqueens {

std::vector<std::string> find_devices(int64_t) {
  throw DeviceError("this build has no CUDA; build it where CMake finds nvcc");
}

Tally search_on_devices(const DeviceWork&, int, const Laps&, const std::function<void(int64_t)>&) {
  throw DeviceError("this build has no CUDA; build it where CMake finds nvcc");
}

}  // namespace lapcast::workloads::nqueens

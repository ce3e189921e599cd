// Replaces device.cu when the build found no CUDA compiler.
#include "nqueens/device.h"

namespace lapcast::workloads::nqueens {
namespace {

constexpr const char* kNoCuda =
    "this build has no CUDA part; build it where CMake finds nvcc, or use --device cpu";

}  // namespace

std::vector<std::string> find_devices(int64_t) {
  throw DeviceError(kNoCuda);
}

DeviceTally search_on_devices(const DeviceWork&, int, const Laps&, const LapReports&) {
  throw DeviceError(kNoCuda);
}

}  // namespace lapcast::workloads::nqueens

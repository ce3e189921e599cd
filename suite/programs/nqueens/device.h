#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "nqueens/device_laps.h"
#include "nqueens/device_work.h"
#include "nqueens/work.h"

namespace lapcast::workloads::nqueens {

/// Reports, in one line, that no GPU can be used.
class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Returns the names of the GPUs that the search would use. Throws DeviceError when the machine has
/// none or this build has no CUDA.
std::vector<std::string> find_devices(int64_t wanted);

struct DeviceTally {
  Tally tally;
  double kernel_seconds = 0;  ///< in which the device that searched longest ran kernels
};

/// Searches on the first `devices` GPUs; each takes an equal share of the jobs of every lap, which
/// ends when all of them have done theirs. Throws DeviceError.
DeviceTally search_on_devices(const DeviceWork& work, int devices, const Laps& laps,
                              const LapReports& reports);

}  // namespace lapcast::workloads::nqueens

#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "nqueens/device_work.h"
#include "nqueens/work.h"

namespace lapcast::workloads::nqueens {

/// No GPU can be used; one line.
class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The GPUs that the search would use, by name. Throws DeviceError where there is none, or where
/// this build has no CUDA.
std::vector<std::string> find_devices(int64_t wanted);

/// Searches on the first `devices` GPUs; each takes an equal share of the jobs of every lap.
/// on_lap(roots) is called when all of them have done a lap. Throws DeviceError.
Tally search_on_devices(const DeviceWork& work, int devices, const Laps& laps,
                        const std::function<void(int64_t roots)>& on_lap);

}  // namespace lapcast::workloads::nqueens

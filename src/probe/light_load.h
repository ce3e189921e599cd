#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "core/result.h"
#include "core/seconds.h"

namespace lapcast {

/// Keeps a device a little busy, so that the machine counts as used.
class LightLoad {
 public:
  virtual ~LightLoad() = default;
  /// Loads the device for so long, or until one of the descriptors can be read or has hung up.
  virtual void go_on(Seconds time, std::span<const int> wake_fds) = 0;
  /// Units of work done so far: evidence that the device really computes.
  virtual std::int64_t work() const = 0;
  /// Why the device cannot be loaded (any more).
  virtual std::optional<Reason> failed() const { return std::nullopt; }
};

/// `share` of the time of one CPU, 0 to 1; a unit is a million steps of a random number generator.
std::unique_ptr<LightLoad> cpu_load(double share);

/// `share` of the time of the first CUDA device, by a helper process that knows the driver
/// (helpers/cuda_load.c); a unit is one launch of its kernel.
std::unique_ptr<LightLoad> cuda_load(double share);

}  // namespace lapcast

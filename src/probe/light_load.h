#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "core/result.h"
#include "core/seconds.h"

namespace lapcast {

/// Keeps a device a little busy, so that the machine counts as used.
class LightLoad {
 public:
  virtual ~LightLoad() = default;
  /// Loads the device for that time, or until one of the descriptors can be read or has hung up.
  virtual void go_on(Seconds time, std::span<const int> wake_fds) = 0;
  /// Returns the units of work done so far: evidence that the device really computes.
  virtual std::int64_t work() const = 0;
  /// Returns why the device cannot be loaded, or not any more.
  virtual std::optional<Reason> failed() const { return std::nullopt; }
};

/// Loads one CPU for a `share` of the time, 0 to 1; a unit is a million steps of a random number
/// generator.
std::unique_ptr<LightLoad> cpu_load(double share);

/// Loads the first CUDA device for a `share` of the time, by a helper process that knows the driver
/// (helpers/cuda_load.c); a unit is one launch of its kernel.
std::unique_ptr<LightLoad> cuda_load(double share);

/// Returns the bytes of the program that helpers/cuda_load.c was built into.
std::string_view cuda_program();

}  // namespace lapcast

#pragma once

#include <c10/core/Device.h>

namespace lapcast::workloads {

/// Makes LibTorch compute matrix products and convolutions of this thread in bfloat16 (autocast)
/// while the object exists, when `wanted`. Operations that need the range, such as losses, stay in
/// fp32.
class MixedPrecision {
 public:
  MixedPrecision(bool wanted, c10::DeviceType device);
  ~MixedPrecision();
  MixedPrecision(const MixedPrecision&) = delete;
  MixedPrecision& operator=(const MixedPrecision&) = delete;

 private:
  bool wanted_;
  c10::DeviceType device_;
};

/// Throws DeviceError when the CPU has no bfloat16 instructions, because bfloat16 would only be
/// slower.
void require_bf16(c10::Device device);

}  // namespace lapcast::workloads

#pragma once

#include <c10/core/Device.h>

namespace lapcast::workloads {

/// While it lives, matrix products and convolutions of this thread are computed in bfloat16
/// (LibTorch's autocast) when wanted; what needs the range, such as losses, stays in fp32.
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

/// Throws DeviceError when the CPU has no instructions for bfloat16: it would only be slower there.
void require_bf16(c10::Device device);

}  // namespace lapcast::workloads

#include "common/precision.h"

#include <ATen/autocast_mode.h>

#include "common/device.h"

namespace lapcast::workloads {

MixedPrecision::MixedPrecision(bool wanted, c10::DeviceType device)
    : wanted_(wanted), device_(device) {
  if (!wanted_) return;
  at::autocast::set_autocast_dtype(device_, at::kBFloat16);
  at::autocast::set_autocast_enabled(device_, true);
}

MixedPrecision::~MixedPrecision() {
  if (!wanted_) return;
  at::autocast::set_autocast_enabled(device_, false);
  // Drops the cached bfloat16 weights, which change with the next step.
  at::autocast::clear_cache();
}

void require_bf16(c10::Device device) {
#if defined(__x86_64__)
  if (device.is_cpu() && !__builtin_cpu_supports("avx512bf16")) {
    throw DeviceError("--dtype bf16: this CPU has no instructions for bfloat16; use --dtype fp32");
  }
#endif
}

}  // namespace lapcast::workloads

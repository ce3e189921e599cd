#pragma once

#include <ATen/core/Tensor.h>

namespace lapcast::workloads {

constexpr int64_t kImageRows = 28;
constexpr int64_t kImageColumns = 28;

/// Converts images (count x 1 x 28 x 28) to the rows that a recurrent network reads: 28 x count x
/// 28.
inline at::Tensor rows_as_steps(const at::Tensor& images) {
  return images.squeeze(1).transpose(0, 1).contiguous();
}

}  // namespace lapcast::workloads

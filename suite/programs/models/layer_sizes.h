#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/network.h"

namespace lapcast::workloads {

/// Returns the size of a `kernel` x `kernel` convolution whose output has out x rows x columns
/// numbers.
inline LayerSize conv_size(std::string name, int64_t in, int64_t out, int64_t kernel, int64_t rows,
                           int64_t columns, bool bias = true) {
  const int64_t weights = in * out * kernel * kernel;
  return {std::move(name), weights + (bias ? out : 0), out * rows * columns,
          weights * rows * columns};
}

inline LayerSize dense_size(std::string name, int64_t in, int64_t out, bool bias = true) {
  return {std::move(name), in * out + (bias ? out : 0), out, in * out};
}

/// Returns the size of a layer without parameters or products: pooling, dropout, or an activation
/// whose output is kept.
inline LayerSize plain_size(std::string name, int64_t outputs) {
  return {std::move(name), 0, outputs, 0};
}

}  // namespace lapcast::workloads

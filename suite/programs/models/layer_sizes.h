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

inline constexpr int64_t kNumberBytes = 4;  // a float
inline constexpr int64_t kIndexBytes = 8;   // the place of a maximum, an int64

/// Returns the layer with the blocks of memory that LayerSize describes, each as a count of floats.
inline LayerSize with_blocks(LayerSize layer, const std::vector<int64_t>& kept,
                             const std::vector<int64_t>& gradients) {
  for (const int64_t numbers : kept) layer.kept.push_back(kNumberBytes * numbers);
  for (const int64_t numbers : gradients) layer.gradients.push_back(kNumberBytes * numbers);
  return layer;
}

/// Returns a max-pooling 2x2 whose output becomes a ReLU in place. Its backward pass is the last to
/// need its input, and has the places of the maxima.
inline LayerSize relu_pool_size(std::string name, int64_t inputs, int64_t outputs) {
  LayerSize layer =
      with_blocks(plain_size(std::move(name), outputs), {inputs, outputs}, {outputs, inputs});
  layer.kept.push_back(kIndexBytes * outputs);
  return layer;
}

/// Returns a dropout. Its backward pass needs its mask only.
inline LayerSize dropout_size(std::string name, int64_t outputs) {
  return with_blocks(plain_size(std::move(name), outputs), {outputs}, {outputs});
}

}  // namespace lapcast::workloads

#pragma once

#include <cstdint>
#include <optional>

#include "suite/driver/network_size.h"

namespace lapcast {

/// Estimates the memory of a training in bytes: what is in memory at the moment of a step when its
/// blocks reach highest.
///
/// The step is played through. Every layer allocates on the way forward what its backward pass
/// needs, and on the way back the gradients of activations and of its parameters; a block is freed
/// after its last use. Each block takes the lowest gap that is large enough, as the suite's
/// programs place tensors. Lawrence 2017, section II-E, counts outputs and parameters alone.
struct MemoryEstimate {
  std::int64_t batch = 0;  // samples
  std::int64_t parameters = 0;
  std::int64_t gradients = 0;  // of the parameters, as many as there are at that moment
  std::int64_t optimizer_state = 0;
  std::int64_t activations = 0;  // inputs, outputs, masks and indices for the backward pass
  std::int64_t activation_gradients = 0;  // and blocks that live only within a layer
  std::int64_t gaps = 0;                  // freed earlier in the step, and too small for what came
  // What LibTorch takes for itself: code, kernels that it makes at run time, buffers. It is what
  // the program's own small steps took (--describe-steps) beyond what is counted for them; 0 where
  // the program made none, and where overcount is above 0.
  std::int64_t framework = 0;
  // How much more is counted for the program's small steps than they took: count and measurement
  // disagree on this machine, and nothing is known of the framework's share. Absent where the
  // program made none.
  std::optional<std::int64_t> overcount = {};

  std::int64_t counted() const {
    return parameters + gradients + optimizer_state + activations + activation_gradients + gaps;
  }
  std::int64_t total() const { return counted() + framework; }
};

/// Returns the estimate for a training with `batch` samples in a batch, at least 1. Amounts beyond
/// 2^62 bytes become 2^62.
MemoryEstimate estimate_memory(const NetworkSize& size, std::int64_t batch);

/// Returns the bytes of a sample as Lawrence 2017 counts them: its input and all outputs.
std::int64_t outputs_of_a_sample(const NetworkSize& size);

/// Returns the figure of Lawrence 2017 in bytes: the data structures for categorizing one image,
/// its input, all outputs and the parameters.
std::int64_t memory_of_one_sample(const NetworkSize& size);

/// Returns the most samples of a batch, up to 10^9, for which the estimate is not above `bytes`; 0
/// = not even one sample fits. On a device the framework's memory on the host does not count.
std::int64_t largest_batch(const NetworkSize& size, std::int64_t bytes, bool on_device = false);

}  // namespace lapcast

#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace lapcast::workloads {

/// Applies inverted dropout: in training, each element becomes 0 with `probability` and is
/// otherwise divided by 1 - probability.
///
/// LibTorch's own dropout draws its mask on one CPU thread with a Mersenne Twister, which took a
/// sixth of mnist-cnn's step on two cores. This one draws 16 bits per element on all threads. The
/// mask depends on the seed and on the number of earlier calls, not on the threads. On a GPU,
/// LibTorch's dropout is used.
class Dropout {
 public:
  /// `probability` is in [0, 1) and is rounded to steps of 2^-16.
  explicit Dropout(double probability);

  /// Starts a new sequence of masks.
  void seed(uint64_t seed);

  at::Tensor operator()(const at::Tensor& x, bool training);

  double probability() const { return probability_; }

 private:
  at::Tensor mask_like(const at::Tensor& x);

  double probability_;
  uint64_t seed_ = 0;
  uint64_t calls_ = 0;
};

}  // namespace lapcast::workloads

#include "common/dropout.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "common/random.h"

namespace lapcast::workloads {
namespace {

constexpr int64_t kPerDraw = 4;  // one draw of 64 bits serves this many elements
constexpr double kSteps = 65536;

}  // namespace

Dropout::Dropout(double probability) : probability_(std::round(probability * kSteps) / kSteps) {
  if (!(probability_ >= 0 && probability_ < 1)) {
    throw std::invalid_argument("dropout: the probability must be in [0, 1)");
  }
}

void Dropout::seed(uint64_t seed) {
  seed_ = seed;
  calls_ = 0;
}

at::Tensor Dropout::operator()(const at::Tensor& x, bool training) {
  if (!training || probability_ == 0) return x;
  return x.is_cpu() ? x * mask_like(x) : at::dropout(x, probability_, true);
}

at::Tensor Dropout::mask_like(const at::Tensor& x) {
  constexpr int64_t kGrain = 8192;
  // The mask is dense and in the same memory order as x, so that the product reads both
  // sequentially.
  at::Tensor mask = at::empty_like(x, x.options().dtype(at::kFloat).requires_grad(false));
  float* values = mask.data_ptr<float>();
  const int64_t n = mask.numel();
  const uint64_t stream = mix_seeds(seed_, calls_++);
  const auto drop_below = static_cast<uint32_t>(probability_ * kSteps);
  const auto kept = static_cast<float>(1 / (1 - probability_));
  at::parallel_for(0, (n + kPerDraw - 1) / kPerDraw, kGrain, [=](int64_t begin, int64_t end) {
    for (int64_t draw = begin; draw < end; ++draw) {
      uint64_t bits = mix64(stream + static_cast<uint64_t>(draw) * kGolden);
      const int64_t last = std::min(n, (draw + 1) * kPerDraw);
      for (int64_t i = draw * kPerDraw; i < last; ++i, bits >>= 16) {
        values[i] = (bits & 0xffff) < drop_below ? 0.0f : kept;
      }
    }
  });
  return mask.to(x.scalar_type());
}

}  // namespace lapcast::workloads

#include "suite/memory_estimate.h"

#include <algorithm>

namespace lapcast {
namespace {

constexpr std::int64_t kBytesOfNumber = 4;

std::int64_t numbers_per_sample(const NetworkSize& size) {
  std::int64_t numbers = size.input_numbers;
  for (const LayerSize& layer : size.layers) numbers += layer.outputs;
  return numbers;
}

}  // namespace

MemoryEstimate estimate_memory(const NetworkSize& size, std::int64_t batch) {
  MemoryEstimate estimate;
  estimate.parameters = kBytesOfNumber * size.parameters;
  estimate.gradients = estimate.parameters;
  estimate.optimizer_state = kBytesOfNumber * size.optimizer_numbers;
  estimate.per_sample = kBytesOfNumber * numbers_per_sample(size);
  estimate.batch = batch;
  return estimate;
}

std::int64_t memory_of_one_sample(const NetworkSize& size) {
  return kBytesOfNumber * (size.parameters + numbers_per_sample(size));
}

std::int64_t largest_batch(const MemoryEstimate& estimate, std::int64_t bytes) {
  const std::int64_t left = bytes - estimate.fixed();
  if (left <= 0 || estimate.per_sample <= 0) return 0;
  return left / estimate.per_sample;
}

}  // namespace lapcast

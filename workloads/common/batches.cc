#include "common/batches.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>

#include <numeric>
#include <utility>

#include "common/random.h"

namespace lapcast::workloads {
namespace {

constexpr float kScale = 1.0f / 255;

}  // namespace

ImageBatches::ImageBatches(LabelledImages set, c10::Device device)
    : set_(std::move(set)), order_(set_.labels.size()), device_(device) {
  std::iota(order_.begin(), order_.end(), int64_t{0});
  if (device_.is_cpu()) return;
  const IdxImages& images = set_.images;
  device_images_ = at::from_blob(set_.images.pixels.data(),
                                 {images.count, 1, images.rows, images.columns}, at::kByte)
                       .to(device_);
  device_labels_ =
      at::from_blob(set_.labels.data(), {images.count}, at::kByte).to(device_).to(at::kLong);
}

void ImageBatches::shuffle(uint64_t seed, int64_t epoch) {
  constexpr uint64_t kShuffleStream = 3;
  Random random(mix_seeds(seed, kShuffleStream, static_cast<uint64_t>(epoch)));
  std::iota(order_.begin(), order_.end(), int64_t{0});
  for (size_t left = order_.size(); left > 1; --left) {
    std::swap(order_[left - 1], order_[random.below(static_cast<uint32_t>(left))]);
  }
}

Batch ImageBatches::take(int64_t first, int64_t count) const {
  return device_.is_cpu() ? gather(first, count) : gather_on_device(first, count);
}

Batch ImageBatches::gather(int64_t first, int64_t count) const {
  constexpr int64_t kImagesPerTask = 32;
  const IdxImages& images = set_.images;
  const int64_t pixels = images.rows * images.columns;
  // One channel is in both orders at once; the strides say which one the network shall keep.
  Batch batch{at::empty({count, 1, images.rows, images.columns},
                        at::TensorOptions(at::kFloat).memory_format(at::MemoryFormat::ChannelsLast)),
              at::empty({count}, at::kLong)};
  float* values = batch.images.data_ptr<float>();
  auto* labels = batch.labels.data_ptr<int64_t>();
  at::parallel_for(0, count, kImagesPerTask, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t source = order_[static_cast<size_t>(first + i)];
      const uint8_t* from = images.pixels.data() + source * pixels;
      float* to = values + i * pixels;
      for (int64_t p = 0; p < pixels; ++p) to[p] = static_cast<float>(from[p]) * kScale;
      labels[i] = set_.labels[static_cast<size_t>(source)];
    }
  });
  return batch;
}

Batch ImageBatches::gather_on_device(int64_t first, int64_t count) const {
  const at::Tensor order =
      at::from_blob(const_cast<int64_t*>(order_.data()) + first, {count}, at::kLong).to(device_);
  return {device_images_.index_select(0, order).to(at::kFloat).mul_(kScale),
          device_labels_.index_select(0, order)};
}

}  // namespace lapcast::workloads

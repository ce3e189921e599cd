#include "common/batches.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "common/random.h"

namespace lapcast::workloads {
namespace {

constexpr float kScale = 1.0f / 255;

/// Converts one image from channels first to channels last and scales it to 0..1.
void scale_into(float* to, const uint8_t* from, int64_t channels, int64_t pixels) {
  if (channels == 1) {
    for (int64_t p = 0; p < pixels; ++p) to[p] = static_cast<float>(from[p]) * kScale;
    return;
  }
  for (int64_t c = 0; c < channels; ++c) {
    for (int64_t p = 0; p < pixels; ++p) {
      to[p * channels + c] = static_cast<float>(from[c * pixels + p]) * kScale;
    }
  }
}

}  // namespace

BatchSource::BatchSource(int64_t size, c10::Device device) : samples_(size), device_(device) {
  number_all();
  take_share();
}

void BatchSource::keep_share(const Share& share, int64_t batch) {
  share_ = share;
  batch_ = batch;
  number_all();
  take_share();
}

void BatchSource::number_all() {
  order_.resize(static_cast<size_t>(samples_));
  std::iota(order_.begin(), order_.end(), int64_t{0});
}

void BatchSource::shuffle(uint64_t seed, int64_t epoch) {
  constexpr uint64_t kShuffleStream = 3;
  number_all();
  workloads::shuffle(order_, Random(mix_seeds(seed, kShuffleStream, static_cast<uint64_t>(epoch))));
  take_share();
}

void BatchSource::take_share() {
  if (share_.replicas > 1) {
    std::vector<int64_t> own;
    for (int64_t first = 0; first < samples_; first += batch_) {
      const int64_t count = std::min(batch_, samples_ - first);
      const auto begin = order_.begin() + first + share_.first_of(count);
      own.insert(own.end(), begin, begin + share_.of(count));
    }
    order_ = std::move(own);
  }
  device_order_ =
      at::from_blob(order_.data(), {static_cast<int64_t>(order_.size())}, at::kLong).to(device_);
}

at::Tensor BatchSource::rows(int64_t first, int64_t count) const {
  return device_order_.narrow(0, first, count);
}

ByteImages byte_images(LabelledImages set) {
  return {
      set.images.count,     1, set.images.rows, set.images.columns, std::move(set.images.pixels),
      std::move(set.labels)};
}

ImageBatches::ImageBatches(ByteImages set, c10::Device device)
    : BatchSource(set.count, device), set_(std::move(set)) {
  if (device.is_cpu()) return;
  device_images_ = at::from_blob(set_.pixels.data(),
                                 {set_.count, set_.channels, set_.rows, set_.columns}, at::kByte)
                       .to(device);
  device_labels_ =
      at::from_blob(set_.labels.data(), {set_.count}, at::kByte).to(device).to(at::kLong);
}

Batch ImageBatches::take(int64_t first, int64_t count) const {
  return device_images_.defined() ? gather_on_device(first, count) : gather(first, count);
}

Batch ImageBatches::gather(int64_t first, int64_t count) const {
  constexpr int64_t kImagesPerTask = 32;
  const int64_t pixels = set_.rows * set_.columns;
  const int64_t numbers = set_.channels * pixels;
  // An image with one channel has both memory orders; the strides tell the network to keep channels
  // last.
  Batch batch{
      at::empty({count, set_.channels, set_.rows, set_.columns},
                at::TensorOptions(at::kFloat).memory_format(at::MemoryFormat::ChannelsLast)),
      at::empty({count}, at::kLong)};
  float* values = batch.inputs.data_ptr<float>();
  auto* labels = batch.labels.data_ptr<int64_t>();
  at::parallel_for(0, count, kImagesPerTask, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t source = order()[static_cast<size_t>(first + i)];
      scale_into(values + i * numbers, set_.pixels.data() + source * numbers, set_.channels,
                 pixels);
      labels[i] = set_.labels[static_cast<size_t>(source)];
    }
  });
  return batch;
}

Batch ImageBatches::gather_on_device(int64_t first, int64_t count) const {
  const at::Tensor samples = rows(first, count);
  return {device_images_.index_select(0, samples)
              .to(at::kFloat)
              .mul_(kScale)
              .contiguous(at::MemoryFormat::ChannelsLast),
          device_labels_.index_select(0, samples)};
}

TableBatches::TableBatches(const Table& table, c10::Device device)
    : BatchSource(static_cast<int64_t>(table.labels.size()), device),
      values_(at::from_blob(const_cast<float*>(table.values.data()),
                            {static_cast<int64_t>(table.labels.size()), table.columns}, at::kFloat)
                  .clone()
                  .to(device)),
      labels_(at::from_blob(const_cast<uint8_t*>(table.labels.data()),
                            {static_cast<int64_t>(table.labels.size())}, at::kByte)
                  .to(device)
                  .to(at::kLong)) {}

TableBatches::TableBatches(at::Tensor values, at::Tensor labels)
    : BatchSource(labels.size(0), labels.device()),
      values_(std::move(values)),
      labels_(std::move(labels)) {}

Batch TableBatches::take(int64_t first, int64_t count) const {
  const at::Tensor samples = rows(first, count);
  return {values_.index_select(0, samples), labels_.index_select(0, samples)};
}

}  // namespace lapcast::workloads

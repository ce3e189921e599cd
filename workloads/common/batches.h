#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "data/idx.h"

namespace lapcast::workloads {

struct Batch {
  at::Tensor images;  ///< float, count x 1 x rows x columns, 0..1
  at::Tensor labels;  ///< int64, count
};

/// A labelled set of grey images, kept as bytes and handed out in batches.
class ImageBatches {
 public:
  /// Takes the set over; on a GPU it is copied there once.
  ImageBatches(LabelledImages set, c10::Device device);

  /// Puts the images into a random order that depends on the seed and the epoch alone.
  void shuffle(uint64_t seed, int64_t epoch);

  /// The images at [first, first + count) of the order; it is the file's until shuffled.
  Batch take(int64_t first, int64_t count) const;

  int64_t size() const { return set_.images.count; }

 private:
  Batch gather(int64_t first, int64_t count) const;
  Batch gather_on_device(int64_t first, int64_t count) const;

  LabelledImages set_;
  std::vector<int64_t> order_;
  c10::Device device_;
  at::Tensor device_images_;  // uint8, on a GPU only
  at::Tensor device_labels_;
};

}  // namespace lapcast::workloads

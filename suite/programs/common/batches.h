#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "common/share.h"
#include "data/idx.h"

namespace lapcast::workloads {

struct Batch {
  at::Tensor inputs;  ///< of the network's input_type(), count x ...
  at::Tensor labels;  ///< int64, count
};

/// Holds a labelled set of samples and returns it in batches.
class BatchSource {
 public:
  virtual ~BatchSource() = default;
  BatchSource(const BatchSource&) = delete;
  BatchSource& operator=(const BatchSource&) = delete;

  /// Returns the samples [first, first + count) of the order, which is that of the data until
  /// shuffle().
  virtual Batch take(int64_t first, int64_t count) const = 0;
  virtual int64_t size() const = 0;

  /// Puts the samples into a random order that depends on the seed and the epoch alone.
  void shuffle(uint64_t seed, int64_t epoch);

  /// Keeps this share of each batch of `batch` samples in the order, now and after each shuffle().
  /// size() still counts the samples of all replicas.
  void keep_share(const Share& share, int64_t batch);

 protected:
  /// `device` is where rows() are wanted.
  BatchSource(int64_t size, c10::Device device);
  const std::vector<int64_t>& order() const { return order_; }

  /// Returns the numbers of the samples [first, first + count) of the order: int64, on the device,
  /// to which a whole order is copied at once. So a batch need not wait for the device.
  at::Tensor rows(int64_t first, int64_t count) const;

 private:
  void number_all();
  /// Takes the share out of an order of all samples.
  void take_share();

  int64_t samples_;
  Share share_;
  int64_t batch_ = 1;  // of all replicas
  std::vector<int64_t> order_;
  c10::Device device_;
  at::Tensor device_order_;
};

/// Holds the parts of a labelled data set.
struct DataParts {
  std::unique_ptr<BatchSource> training;
  std::unique_ptr<BatchSource> validation;
  std::unique_ptr<BatchSource> test = nullptr;  ///< evaluated at the end, where a set has it
};

/// Holds images of bytes (count x channels x rows x columns) as they were read.
struct ByteImages {
  int64_t count = 0;
  int64_t channels = 1;
  int64_t rows = 0;
  int64_t columns = 0;
  std::vector<uint8_t> pixels;  ///< count x channels x rows x columns
  std::vector<uint8_t> labels;  ///< count
};

/// Converts a set of grey images.
ByteImages byte_images(LabelledImages set);

/// Returns batches of images scaled to 0..1: count x channels x rows x columns, channels last in
/// memory.
class ImageBatches : public BatchSource {
 public:
  /// Takes ownership of the set; on a GPU it is copied to the device once.
  ImageBatches(ByteImages set, c10::Device device);
  Batch take(int64_t first, int64_t count) const override;
  int64_t size() const override { return set_.count; }

 private:
  Batch gather(int64_t first, int64_t count) const;
  Batch gather_on_device(int64_t first, int64_t count) const;

  ByteImages set_;
  at::Tensor device_images_;  // uint8, on a GPU only
  at::Tensor device_labels_;
};

/// Holds rows of numbers with their labels.
struct Table {
  int64_t columns = 0;
  std::vector<float> values;    ///< row by row
  std::vector<uint8_t> labels;  ///< one for each row
};

/// Returns batches of rows of a table: count x columns.
class TableBatches : public BatchSource {
 public:
  TableBatches(const Table& table, c10::Device device);
  /// Takes rows of any type (count x columns) and their labels (int64, count) on one device.
  TableBatches(at::Tensor values, at::Tensor labels);
  Batch take(int64_t first, int64_t count) const override;
  int64_t size() const override { return labels_.size(0); }

 private:
  at::Tensor values_;
  at::Tensor labels_;
};

}  // namespace lapcast::workloads

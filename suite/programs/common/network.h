#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <string>
#include <vector>

namespace lapcast::workloads {

/// Holds the cost of one layer for one sample.
struct LayerSize {
  std::string name;
  int64_t parameters = 0;     ///< trained numbers, in all (not for each sample)
  int64_t outputs = 0;        ///< numbers of its output that training keeps for the backward pass
  int64_t multiply_adds = 0;  ///< of the forward pass
};

/// Defines a network of the suite. Its initial weights depend on at::manual_seed() alone and are
/// drawn on the CPU, so they are the same for every device.
class Network : public torch::nn::Module {
 public:
  /// Maps a batch (count x ...) to its outputs (count x ...): for a classifier, one logit per
  /// class.
  virtual at::Tensor forward(const at::Tensor& batch, bool training) = 0;

  /// Starts a new sequence of dropout masks. Networks without dropout do nothing.
  virtual void seed_dropout(uint64_t /*seed*/) {}

  /// Returns the sizes of one sample: channels, rows, columns of an image.
  virtual std::vector<int64_t> input_shape() const = 0;

  /// Returns the type of a sample's numbers: int32 for numbers of words.
  virtual at::ScalarType input_type() const { return at::kFloat; }

  /// Returns how many numbers one sample has.
  int64_t input_numbers() const {
    int64_t numbers = 1;
    for (const int64_t size : input_shape()) numbers *= size;
    return numbers;
  }

  /// Returns every layer in the order of the data. Their parameters add up to those of the network.
  virtual std::vector<LayerSize> layers() const = 0;
};

}  // namespace lapcast::workloads

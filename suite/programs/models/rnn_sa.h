#pragma once

#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>

#include <cstdint>
#include <vector>

#include "common/dropout.h"
#include "common/network.h"
#include "common/random.h"
#include "models/keras_lstm.h"

namespace lapcast::workloads {

/// Is the classifier of sentiments of Künas 2023, section 4.2.1:
///
///   300 words   embedding 20,000 x 128               2,560,000 parameters
///               LSTM 128, its inputs with dropout      131,584
///               dense 128, ReLU                         16,512
///               dense 64, ReLU                           8,256
///               dense 2                                    130
///                                                    2,716,482
///
/// The dropout is that of Keras's LSTM: a review loses the same numbers of every word. Weights
/// begin as Keras's "uniform" does, within 0.05 (those of the LSTM as Keras's LSTM), and biases are
/// 0.
class RnnSa : public Network {
 public:
  /// 0 means no dropout.
  explicit RnnSa(double dropout);

  /// Maps rows of numbers of words (int32, count x words) to logits (count x 2), to which the loss
  /// applies the sigmoids.
  at::Tensor forward(const at::Tensor& rows, bool training) override;
  void seed_dropout(uint64_t seed) override { dropout_.seed(mix_seeds(seed, 1)); }
  std::vector<int64_t> input_shape() const override;
  at::ScalarType input_type() const override { return at::kInt; }
  std::vector<LayerSize> layers() const override;

 private:
  torch::nn::Embedding embedding_{nullptr};
  KerasLstm lstm_{nullptr};
  torch::nn::Linear dense1_{nullptr}, dense2_{nullptr}, dense3_{nullptr};
  Dropout dropout_;
};

}  // namespace lapcast::workloads

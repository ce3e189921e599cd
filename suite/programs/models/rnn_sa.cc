#include "models/rnn_sa.h"

#include <ATen/Functions.h>
#include <torch/nn/init.h>

#include <string>

#include "data/word_rows.h"
#include "models/layer_sizes.h"

namespace lapcast::workloads {
namespace {

constexpr int64_t kWordNumbers = 128;  // of a word's embedding
constexpr int64_t kSentimentUnits = 128;
constexpr int64_t kSentiments = 2;
constexpr double kWidest = 0.05;

torch::nn::Linear uniform_dense(int64_t in, int64_t out) {
  torch::nn::Linear dense(in, out);
  torch::nn::init::uniform_(dense->weight, -kWidest, kWidest);
  torch::nn::init::zeros_(dense->bias);
  return dense;
}

}  // namespace

RnnSa::RnnSa(double dropout) : dropout_(dropout) {
  embedding_ = register_module("embedding", torch::nn::Embedding(kVocabulary, kWordNumbers));
  torch::nn::init::uniform_(embedding_->weight, -kWidest, kWidest);
  lstm_ = register_module("lstm", KerasLstm(kWordNumbers, kSentimentUnits));
  dense1_ = register_module("dense1", uniform_dense(kSentimentUnits, 128));
  dense2_ = register_module("dense2", uniform_dense(128, 64));
  dense3_ = register_module("dense3", uniform_dense(64, kSentiments));
}

at::Tensor RnnSa::forward(const at::Tensor& rows, bool training) {
  // The words are looked up in the order of the steps, so that the LSTM need not reorder them.
  at::Tensor words = at::embedding(embedding_->weight, rows.t());
  if (training) {
    words.mul_(dropout_(at::ones({rows.size(0), kWordNumbers}, words.options()), training));
  }
  const at::Tensor state = lstm_->forward(words);
  return dense3_->forward(dense2_->forward(dense1_->forward(state).relu_()).relu_());
}

std::vector<int64_t> RnnSa::input_shape() const {
  return {kReviewWords};
}

/// The backward pass needs four gates, the cell and the state of every step.
std::vector<LayerSize> RnnSa::layers() const {
  LayerSize lstm = dense_size("lstm", kWordNumbers + kSentimentUnits, 4 * kSentimentUnits);
  lstm.outputs = 6 * kReviewWords * kSentimentUnits;
  lstm.multiply_adds *= kReviewWords;
  return {{"embedding", kVocabulary * kWordNumbers, kReviewWords * kWordNumbers, 0},
          plain_size("dropout", kWordNumbers),
          lstm,
          dense_size("dense1", kSentimentUnits, 128),
          dense_size("dense2", 128, 64),
          dense_size("dense3", 64, kSentiments)};
}

}  // namespace lapcast::workloads

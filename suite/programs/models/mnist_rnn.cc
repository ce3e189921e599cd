#include "models/mnist_rnn.h"

#include <ATen/Functions.h>

#include "models/glorot.h"
#include "models/image_rows.h"
#include "models/layer_sizes.h"

namespace lapcast::workloads {
namespace {

constexpr int64_t kRnnUnits = 256;

}  // namespace

MnistRnn::MnistRnn(double dropout) : dropout_(dropout) {
  rnn_ = register_module("rnn", SimpleRnn(kImageColumns, kRnnUnits));
  dense_ = register_module("dense", glorot_uniform(torch::nn::Linear(kRnnUnits, 10)));
}

at::Tensor MnistRnn::forward(const at::Tensor& images, bool training) {
  return dense_->forward(dropout_(rnn_->forward(rows_as_steps(images)), training));
}

/// The backward pass needs the state of every step.
std::vector<LayerSize> MnistRnn::layers() const {
  LayerSize rnn = dense_size("rnn", kImageColumns + kRnnUnits, kRnnUnits);
  rnn.outputs *= kImageRows;
  rnn.multiply_adds *= kImageRows;
  return {rnn, plain_size("dropout", kRnnUnits), dense_size("dense", kRnnUnits, 10)};
}

}  // namespace lapcast::workloads

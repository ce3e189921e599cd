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

/// The backward pass needs the rows of the image as steps and the state of every step. The products
/// of all rows with the weights are freed at the end of the forward pass.
std::vector<LayerSize> MnistRnn::layers() const {
  LayerSize rnn = dense_size("rnn", kImageColumns + kRnnUnits, kRnnUnits);
  rnn.outputs *= kImageRows;
  rnn.multiply_adds *= kImageRows;
  rnn = with_blocks(rnn, {kImageRows * kImageColumns, rnn.outputs}, {rnn.outputs});
  rnn.temporary = kNumberBytes * rnn.outputs;
  return {rnn, dropout_size("dropout", kRnnUnits),
          with_blocks(dense_size("dense", kRnnUnits, 10), {kRnnUnits, 10}, {10, kRnnUnits})};
}

}  // namespace lapcast::workloads

#include "models/mnist_lstm.h"

#include <ATen/Functions.h>

#include "models/glorot.h"
#include "models/image_rows.h"
#include "models/layer_sizes.h"

namespace lapcast::workloads {
namespace {

constexpr int64_t kLstmUnits = 256;

}  // namespace

MnistLstm::MnistLstm(double dropout) : dropout_(dropout) {
  lstm_ = register_module("lstm", KerasLstm(kImageColumns, kLstmUnits));
  dense_ = register_module("dense", glorot_uniform(torch::nn::Linear(kLstmUnits, 10)));
}

at::Tensor MnistLstm::forward(const at::Tensor& images, bool training) {
  return dense_->forward(dropout_(lstm_->forward(rows_as_steps(images)), training));
}

/// The backward pass needs four gates, the cell and the state of every step.
std::vector<LayerSize> MnistLstm::layers() const {
  LayerSize lstm = dense_size("lstm", kImageColumns + kLstmUnits, 4 * kLstmUnits);
  lstm.outputs = 6 * kImageRows * kLstmUnits;
  lstm.multiply_adds *= kImageRows;
  return {lstm, plain_size("dropout", kLstmUnits), dense_size("dense", kLstmUnits, 10)};
}

}  // namespace lapcast::workloads

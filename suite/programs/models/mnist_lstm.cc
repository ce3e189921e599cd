#include "models/mnist_lstm.h"

#include <ATen/Functions.h>

#include "models/glorot.h"
#include "models/image_rows.h"
#include "models/layer_sizes.h"

namespace lapcast::workloads {
namespace {

constexpr int64_t kLstmUnits = 256;
// Numbers of a sample in the buffers that oneDNN 3's LSTM asks for: the workspace of a training,
// and that of the backward pass. Of the workspace it asks for 113,760 and writes 68,400; the
// formula is not documented, so both were observed (for batches of 512 to 3072).
constexpr int64_t kLstmWorkspace = 68'400;
constexpr int64_t kLstmBackward = 29'665;

}  // namespace

MnistLstm::MnistLstm(double dropout) : dropout_(dropout) {
  lstm_ = register_module("lstm", KerasLstm(kImageColumns, kLstmUnits));
  dense_ = register_module("dense", glorot_uniform(torch::nn::Linear(kLstmUnits, 10)));
}

at::Tensor MnistLstm::forward(const at::Tensor& images, bool training) {
  return dense_->forward(dropout_(lstm_->forward(rows_as_steps(images)), training));
}

/// The backward pass needs four gates, the cell and the state of every step. oneDNN keeps them, and
/// its own copies, in one workspace.
std::vector<LayerSize> MnistLstm::layers() const {
  constexpr int64_t kStates = kImageRows * kLstmUnits;
  constexpr int64_t kRows = kImageRows * kImageColumns;
  LayerSize lstm = dense_size("lstm", kImageColumns + kLstmUnits, 4 * kLstmUnits);
  lstm.outputs = 6 * kStates;
  lstm.multiply_adds *= kImageRows;
  lstm = with_blocks(lstm, {kRows, kStates, kLstmWorkspace}, {kStates, kLstmBackward});
  return {lstm, dropout_size("dropout", kLstmUnits),
          with_blocks(dense_size("dense", kLstmUnits, 10), {kLstmUnits, 10}, {10, kLstmUnits})};
}

}  // namespace lapcast::workloads

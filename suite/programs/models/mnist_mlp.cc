#include "models/mnist_mlp.h"

#include <ATen/Functions.h>

#include "common/random.h"
#include "models/glorot.h"
#include "models/layer_sizes.h"

namespace lapcast::workloads {
namespace {

constexpr int64_t kPixels = 28 * 28;
constexpr int64_t kMlpUnits = 256;

torch::nn::Linear dense(int64_t in, int64_t out) {
  return glorot_uniform(torch::nn::Linear(in, out));
}

}  // namespace

MnistMlp::MnistMlp(double dropout) : dropout1_(dropout), dropout2_(dropout) {
  dense1_ = register_module("dense1", dense(kPixels, kMlpUnits));
  dense2_ = register_module("dense2", dense(kMlpUnits, kMlpUnits));
  dense3_ = register_module("dense3", dense(kMlpUnits, 10));
}

at::Tensor MnistMlp::forward(const at::Tensor& images, bool training) {
  at::Tensor x = dropout1_(dense1_->forward(images.flatten(1)).relu_(), training);
  x = dropout2_(dense2_->forward(x).relu_(), training);
  return dense3_->forward(x);
}

void MnistMlp::seed_dropout(uint64_t seed) {
  dropout1_.seed(mix_seeds(seed, 1));
  dropout2_.seed(mix_seeds(seed, 2));
}

std::vector<LayerSize> MnistMlp::layers() const {
  return {dense_size("dense1", kPixels, kMlpUnits), plain_size("dropout1", kMlpUnits),
          dense_size("dense2", kMlpUnits, kMlpUnits), plain_size("dropout2", kMlpUnits),
          dense_size("dense3", kMlpUnits, 10)};
}

}  // namespace lapcast::workloads

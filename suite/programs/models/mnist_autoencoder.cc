#include "models/mnist_autoencoder.h"

#include <ATen/Functions.h>

#include "models/glorot.h"
#include "models/layer_sizes.h"

namespace lapcast::workloads {
namespace {

constexpr int64_t kCodedSide = 7;
constexpr int64_t kCodeInputs = kCodedSide * kCodedSide * 64;
constexpr int64_t kCode = 16;

torch::nn::Conv2d halving(int64_t in, int64_t out) {
  return glorot_uniform(
      torch::nn::Conv2d(torch::nn::Conv2dOptions(in, out, 3).stride(2).padding(1)));
}

torch::nn::ConvTranspose2d doubling(int64_t in, int64_t out) {
  return glorot_uniform(torch::nn::ConvTranspose2d(
      torch::nn::ConvTranspose2dOptions(in, out, 3).stride(2).padding(1).output_padding(1)));
}

torch::nn::ConvTranspose2d keeping(int64_t in, int64_t out) {
  return glorot_uniform(
      torch::nn::ConvTranspose2d(torch::nn::ConvTranspose2dOptions(in, out, 3).padding(1)));
}

/// Returns the size of a transposed convolution, in which every input number meets each weight of
/// its channel. `side` is the input's, `growth` times smaller than the output's.
LayerSize deconv_size(std::string name, int64_t in, int64_t out, int64_t side, int64_t growth) {
  LayerSize size = conv_size(std::move(name), in, out, 3, side, side);
  size.outputs *= growth * growth;
  return size;
}

}  // namespace

MnistAutoencoder::MnistAutoencoder() {
  conv1_ = register_module("conv1", halving(1, 32));
  conv2_ = register_module("conv2", halving(32, 64));
  encode_ = register_module("encode", glorot_uniform(torch::nn::Linear(kCodeInputs, kCode)));
  decode_ = register_module("decode", glorot_uniform(torch::nn::Linear(kCode, kCodeInputs)));
  deconv1_ = register_module("deconv1", doubling(64, 64));
  deconv2_ = register_module("deconv2", doubling(64, 32));
  deconv3_ = register_module("deconv3", keeping(32, 1));
}

at::Tensor MnistAutoencoder::encode(const at::Tensor& images) {
  at::Tensor x = conv1_->forward(images).relu_();
  x = conv2_->forward(x).relu_();
  return encode_->forward(x.permute({0, 2, 3, 1}).flatten(1));
}

at::Tensor MnistAutoencoder::decode(const at::Tensor& codes) {
  at::Tensor x =
      decode_->forward(codes).view({-1, kCodedSide, kCodedSide, 64}).permute({0, 3, 1, 2});
  x = deconv1_->forward(x).relu_();
  x = deconv2_->forward(x).relu_();
  return deconv3_->forward(x).sigmoid_();
}

at::Tensor MnistAutoencoder::forward(const at::Tensor& images, bool /*training*/) {
  return decode(encode(images));
}

std::vector<LayerSize> MnistAutoencoder::layers() const {
  return {conv_size("conv1", 1, 32, 3, 14, 14),     conv_size("conv2", 32, 64, 3, 7, 7),
          dense_size("encode", kCodeInputs, kCode), dense_size("decode", kCode, kCodeInputs),
          deconv_size("deconv1", 64, 64, 7, 2),     deconv_size("deconv2", 64, 32, 14, 2),
          deconv_size("deconv3", 32, 1, 28, 1)};
}

}  // namespace lapcast::workloads

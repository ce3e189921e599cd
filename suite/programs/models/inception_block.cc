#include "models/inception_block.h"

#include <ATen/Functions.h>
#include <torch/nn/init.h>

#include "models/layer_sizes.h"

namespace lapcast::workloads {
namespace {

using Pool = InceptionBranch::Pool;

torch::nn::Conv2d inception_conv(int64_t in, const InceptionConv& what) {
  torch::nn::Conv2dOptions options(in, what.channels, {what.rows, what.columns});
  options.stride(what.stride).bias(false);
  if (what.same) options.padding({what.rows / 2, what.columns / 2});
  return torch::nn::Conv2d(options);
}

at::Tensor pooled(const at::Tensor& x, Pool pool) {
  if (pool == Pool::kMean) return at::avg_pool2d(x, 3, 1, 1);
  return pool == Pool::kMax ? at::max_pool2d(x, 3, 2) : x;
}

int64_t size_after(int64_t size, int64_t kernel, int64_t stride, bool same) {
  return (size + (same ? 2 * (kernel / 2) : 0) - kernel) / stride + 1;
}

/// Appends the pooling of a branch, which has `channels` channels.
void add_pool_sizes(std::vector<LayerSize>& sizes, const std::string& name, Pool pool,
                    int64_t channels, ImageSize& size) {
  if (pool == Pool::kMax) {
    size = {size_after(size.rows, 3, 2, false), size_after(size.columns, 3, 2, false)};
  }
  sizes.push_back(plain_size(name, channels * size.rows * size.columns));
}

}  // namespace

InceptionConvLayer::InceptionConvLayer(int64_t in, const InceptionConv& what)
    : in_(in), what_(what) {
  constexpr double kEpsilon = 0.001;
  conv_ = register_module("conv", inception_conv(in, what));
  norm_ = register_module("bn", std::make_shared<BatchNorm>(what.channels, 1, kEpsilon));
  torch::nn::init::xavier_uniform_(conv_->weight);
  conv_->weight.set_data(conv_->weight.contiguous(at::MemoryFormat::ChannelsLast));
}

at::Tensor InceptionConvLayer::forward(const at::Tensor& x, bool training) {
  return norm_->forward(conv_->forward(x), training).relu_();
}

/// Both outputs are kept: the first for the backward pass of the normalisation, the second, after
/// ReLU, as the next layer's input.
void InceptionConvLayer::add_sizes(std::vector<LayerSize>& sizes, const std::string& name,
                                   ImageSize& size) const {
  size = {size_after(size.rows, what_.rows, what_.stride, what_.same),
          size_after(size.columns, what_.columns, what_.stride, what_.same)};
  const int64_t pixels = size.rows * size.columns, outputs = what_.channels * pixels;
  const int64_t weights = in_ * what_.channels * what_.rows * what_.columns;
  sizes.push_back({name + ".conv", weights, outputs, weights * pixels});
  sizes.push_back({name + ".bn", 2 * what_.channels, outputs, 0});
}

InceptionBlock::InceptionBlock(int64_t in, const std::vector<InceptionBranch>& branches) : in_(in) {
  for (const InceptionBranch& what : branches) {
    int64_t channels = in;
    Branch branch{what, registered(channels, what.chain, true), {}};
    branch.fork = registered(channels, what.fork, false);
    if (branch.fork.empty()) {
      channels_ += channels;
    } else {
      for (const auto& layer : branch.fork) channels_ += layer->channels();
    }
    branches_.push_back(branch);
  }
}

/// Registers the convolutions. Those of a chain follow each other, and `in` becomes the channels of
/// the last one.
InceptionBlock::Layers InceptionBlock::registered(int64_t& in,
                                                  const std::vector<InceptionConv>& convs,
                                                  bool is_chain) {
  Layers layers;
  for (const InceptionConv& conv : convs) {
    layers.push_back(register_module(conv.name, std::make_shared<InceptionConvLayer>(in, conv)));
    if (is_chain) in = conv.channels;
  }
  return layers;
}

at::Tensor InceptionBlock::forward(const at::Tensor& x, bool training) {
  std::vector<at::Tensor> outputs;
  for (const Branch& branch : branches_) {
    at::Tensor y = pooled(x, branch.what.pool);
    for (const auto& layer : branch.chain) y = layer->forward(y, training);
    if (branch.fork.empty()) outputs.push_back(y);
    for (const auto& layer : branch.fork) outputs.push_back(layer->forward(y, training));
  }
  return at::cat(outputs, 1);
}

void InceptionBlock::add_sizes(std::vector<LayerSize>& sizes, const std::string& name,
                               ImageSize& size) const {
  ImageSize after = size;
  for (const Branch& branch : branches_) {
    after = size;
    if (branch.what.pool != Pool::kNone) {
      add_pool_sizes(sizes, name + ".pool", branch.what.pool, in_, after);
    }
    for (size_t i = 0; i < branch.chain.size(); ++i) {
      branch.chain[i]->add_sizes(sizes, name + "." + branch.what.chain[i].name, after);
    }
    for (size_t i = 0; i < branch.fork.size(); ++i) {
      ImageSize same = after;
      branch.fork[i]->add_sizes(sizes, name + "." + branch.what.fork[i].name, same);
    }
  }
  size = after;
  const int64_t numbers = channels_ * size.rows * size.columns;
  sizes.push_back(plain_size(name + ".cat", numbers));
}

}  // namespace lapcast::workloads

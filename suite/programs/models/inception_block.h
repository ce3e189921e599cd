#pragma once

#include <torch/nn/modules/conv.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/network.h"
#include "models/batch_norm.h"

namespace lapcast::workloads {

/// Describes a convolution without bias, its normalisation and ReLU.
struct InceptionConv {
  std::string name;
  int64_t channels;  ///< of the output
  int64_t rows = 1;  ///< of the kernel
  int64_t columns = 1;
  int64_t stride = 1;
  bool same = true;  ///< whether the image is padded, so that its size stays (with stride 1)
};

/// Holds the rows and columns of an image.
struct ImageSize {
  int64_t rows = 0;
  int64_t columns = 0;
};

/// Is one such convolution. Its modules "conv" and "bn" have torchvision's names; the weights are
/// Glorot uniform, as in Keras.
class InceptionConvLayer : public torch::nn::Module {
 public:
  InceptionConvLayer(int64_t in, const InceptionConv& what);
  at::Tensor forward(const at::Tensor& x, bool training);

  /// Appends the sizes of the layer; `size`, of the input, becomes that of the output.
  void add_sizes(std::vector<LayerSize>& sizes, const std::string& name, ImageSize& size) const;
  int64_t channels() const { return what_.channels; }

 private:
  int64_t in_;
  InceptionConv what_;
  torch::nn::Conv2d conv_{nullptr};
  std::shared_ptr<BatchNorm> norm_;
};

/// Describes a branch of a block: pooling, a chain of convolutions, and at its end a fork of
/// convolutions whose outputs are put side by side.
struct InceptionBranch {
  enum class Pool { kNone, kMean, kMax };  ///< 3x3: mean with stride 1, max with stride 2
  Pool pool = Pool::kNone;
  std::vector<InceptionConv> chain;
  std::vector<InceptionConv> fork = {};
};

/// Is a block of Inception v3: its branches get the same input, and their channels are put side by
/// side.
class InceptionBlock : public torch::nn::Module {
 public:
  InceptionBlock(int64_t in, const std::vector<InceptionBranch>& branches);
  at::Tensor forward(const at::Tensor& x, bool training);
  void add_sizes(std::vector<LayerSize>& sizes, const std::string& name, ImageSize& size) const;
  int64_t channels() const { return channels_; }

 private:
  using Layers = std::vector<std::shared_ptr<InceptionConvLayer>>;
  struct Branch {
    InceptionBranch what;
    Layers chain, fork;
  };

  Layers registered(int64_t& in, const std::vector<InceptionConv>& convs, bool is_chain);

  int64_t in_;
  int64_t channels_ = 0;
  std::vector<Branch> branches_;
};

}  // namespace lapcast::workloads

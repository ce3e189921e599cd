#include "models/inception_v3.h"

#include <ATen/Functions.h>

#include <utility>

#include "models/glorot.h"
#include "models/layer_sizes.h"

namespace lapcast::workloads {
namespace {

using Branch = InceptionBranch;
using Branches = std::vector<InceptionBranch>;

constexpr auto kMean = Branch::Pool::kMean;
constexpr auto kMax = Branch::Pool::kMax;
constexpr auto kNone = Branch::Pool::kNone;

const std::vector<InceptionConv>& stem_convs() {
  static const std::vector<InceptionConv> kConvs = {{"Conv2d_1a_3x3", 32, 3, 3, 2, false},
                                                    {"Conv2d_2a_3x3", 32, 3, 3, 1, false},
                                                    {"Conv2d_2b_3x3", 64, 3, 3},
                                                    {"Conv2d_3b_1x1", 80},
                                                    {"Conv2d_4a_3x3", 192, 3, 3, 1, false}};
  return kConvs;
}

/// Returns whether a max-pooling 3x3 with stride 2 follows the convolution of the stem.
bool is_pooled(const std::string& name) {
  return name == "Conv2d_2b_3x3" || name == "Conv2d_4a_3x3";
}

Branches block_a(int64_t pool_features) {
  return {
      {kNone, {{"branch1x1", 64}}},
      {kNone, {{"branch5x5_1", 48}, {"branch5x5_2", 64, 5, 5}}},
      {kNone, {{"branch3x3dbl_1", 64}, {"branch3x3dbl_2", 96, 3, 3}, {"branch3x3dbl_3", 96, 3, 3}}},
      {kMean, {{"branch_pool", pool_features}}}};
}

Branches block_b() {
  return {{kNone, {{"branch3x3", 384, 3, 3, 2, false}}},
          {kNone,
           {{"branch3x3dbl_1", 64},
            {"branch3x3dbl_2", 96, 3, 3},
            {"branch3x3dbl_3", 96, 3, 3, 2, false}}},
          {kMax, {}}};
}

Branches block_c(int64_t width) {
  return {
      {kNone, {{"branch1x1", 192}}},
      {kNone, {{"branch7x7_1", width}, {"branch7x7_2", width, 1, 7}, {"branch7x7_3", 192, 7, 1}}},
      {kNone,
       {{"branch7x7dbl_1", width},
        {"branch7x7dbl_2", width, 7, 1},
        {"branch7x7dbl_3", width, 1, 7},
        {"branch7x7dbl_4", width, 7, 1},
        {"branch7x7dbl_5", 192, 1, 7}}},
      {kMean, {{"branch_pool", 192}}}};
}

Branches block_d() {
  return {{kNone, {{"branch3x3_1", 192}, {"branch3x3_2", 320, 3, 3, 2, false}}},
          {kNone,
           {{"branch7x7x3_1", 192},
            {"branch7x7x3_2", 192, 1, 7},
            {"branch7x7x3_3", 192, 7, 1},
            {"branch7x7x3_4", 192, 3, 3, 2, false}}},
          {kMax, {}}};
}

Branches block_e() {
  return {
      {kNone, {{"branch1x1", 320}}},
      {kNone, {{"branch3x3_1", 384}}, {{"branch3x3_2a", 384, 1, 3}, {"branch3x3_2b", 384, 3, 1}}},
      {kNone,
       {{"branch3x3dbl_1", 448}, {"branch3x3dbl_2", 384, 3, 3}},
       {{"branch3x3dbl_3a", 384, 1, 3}, {"branch3x3dbl_3b", 384, 3, 1}}},
      {kMean, {{"branch_pool", 192}}}};
}

constexpr const char* kLastBlockC = "Mixed_6e";

std::vector<std::pair<std::string, Branches>> all_blocks() {
  return {{"Mixed_5b", block_a(32)},  {"Mixed_5c", block_a(64)},   {"Mixed_5d", block_a(64)},
          {"Mixed_6a", block_b()},    {"Mixed_6b", block_c(128)},  {"Mixed_6c", block_c(160)},
          {"Mixed_6d", block_c(160)}, {kLastBlockC, block_c(192)}, {"Mixed_7a", block_d()},
          {"Mixed_7b", block_e()},    {"Mixed_7c", block_e()}};
}

}  // namespace

InceptionV3::InceptionV3(int64_t classes, bool auxiliary) {
  int64_t channels = 3;
  for (const InceptionConv& conv : stem_convs()) {
    stem_.push_back({conv.name, register_module(conv.name, std::make_shared<InceptionConvLayer>(
                                                               channels, conv))});
    channels = conv.channels;
  }
  for (const auto& block : all_blocks()) {
    blocks_.push_back({block.first, register_module(block.first, std::make_shared<InceptionBlock>(
                                                                     channels, block.second))});
    channels = blocks_.back().layer->channels();
    if (block.first != kLastBlockC || !auxiliary) continue;
    const auto head = register_module("AuxLogits", std::make_shared<torch::nn::Module>());
    const std::vector<InceptionConv> convs = {{"conv0", 128}, {"conv1", 768, 5, 5, 1, false}};
    int64_t in = channels;
    for (const InceptionConv& conv : convs) {
      auxiliary_.push_back(
          head->register_module(conv.name, std::make_shared<InceptionConvLayer>(in, conv)));
      in = conv.channels;
    }
    auxiliary_fc_ = head->register_module("fc", glorot_uniform(torch::nn::Linear(in, classes)));
  }
  if (classes > 0) {
    fc_ = register_module("fc", glorot_uniform(torch::nn::Linear(kFeatures, classes)));
  }
}

std::pair<at::Tensor, at::Tensor> InceptionV3::maps(const at::Tensor& images, bool training) {
  at::Tensor x = images, last_c;
  for (const auto& [name, layer] : stem_) {
    x = layer->forward(x, training);
    if (is_pooled(name)) x = at::max_pool2d(x, 3, 2);
  }
  for (const auto& [name, block] : blocks_) {
    x = block->forward(x, training);
    if (name == kLastBlockC) last_c = x;
  }
  return {last_c, x.mean({2, 3})};
}

InceptionV3::Outputs InceptionV3::forward(const at::Tensor& images, bool training) {
  constexpr double kDropout = 0.5;
  const auto found = maps(images, training);
  Outputs outputs{fc_->forward(at::dropout(found.second, kDropout, training)), {}};
  if (!training || auxiliary_.empty()) return outputs;
  at::Tensor x = at::avg_pool2d(found.first, 5, 3);
  for (const auto& layer : auxiliary_) x = layer->forward(x, training);
  outputs.auxiliary = auxiliary_fc_->forward(x.mean({2, 3}));
  return outputs;
}

void InceptionV3::add_sizes(std::vector<LayerSize>& sizes, ImageSize size) const {
  for (const auto& [name, layer] : stem_) {
    layer->add_sizes(sizes, name, size);
    if (!is_pooled(name)) continue;
    size = {(size.rows - 3) / 2 + 1, (size.columns - 3) / 2 + 1};
    sizes.push_back(plain_size(name + ".pool", layer->channels() * size.rows * size.columns));
  }
  for (const auto& [name, block] : blocks_) block->add_sizes(sizes, name, size);
  sizes.push_back(plain_size("mean", kFeatures));
}

}  // namespace lapcast::workloads

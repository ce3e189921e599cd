#include "models/ic_dr.h"

#include "common/state_dict.h"
#include "models/glorot.h"
#include "models/layer_sizes.h"

namespace lapcast::workloads {
namespace {

constexpr int64_t kHidden = 1024;

}  // namespace

IcDr::IcDr(int64_t side, const std::filesystem::path& file) : side_(side) {
  inception_ = register_module("inception", std::make_shared<InceptionV3>());
  dense1_ =
      register_module("dense1", glorot_uniform(torch::nn::Linear(InceptionV3::kFeatures, kHidden)));
  dense2_ = register_module("dense2", glorot_uniform(torch::nn::Linear(kHidden, kGrades)));
  if (!file.empty()) {
    load_state_dict(*inception_, read_state_dict(file), file.string(), {"AuxLogits.", "fc."});
  }
}

at::Tensor IcDr::forward(const at::Tensor& images, bool training) {
  const at::Tensor x = inception_->features(images * 2 - 1, training);
  return dense2_->forward(dense1_->forward(x).relu_());
}

std::vector<LayerSize> IcDr::layers() const {
  std::vector<LayerSize> sizes;
  inception_->add_sizes(sizes, {side_, side_});
  sizes.push_back(dense_size("dense1", InceptionV3::kFeatures, kHidden));
  sizes.push_back(dense_size("dense2", kHidden, kGrades));
  return sizes;
}

}  // namespace lapcast::workloads

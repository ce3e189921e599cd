#include "models/inception_v3.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "common/plateau.h"
#include "common/state_dict.h"
#include "models/ic_dr.h"
#include "models/layers_test.h"

namespace lapcast::workloads {
namespace {

int64_t parameters_of(const torch::nn::Module& network) {
  int64_t count = 0;
  for (const at::Tensor& p : network.parameters()) count += p.numel();
  return count;
}

/// Returns the parameters of a convolution of in x out channels and its normalisation.
constexpr int64_t conv(int64_t in, int64_t out, int64_t kernel = 1) {
  return in * out * kernel + 2 * out;
}

constexpr int64_t block_a(int64_t in, int64_t pool) {
  return conv(in, 64) + conv(in, 48) + conv(48, 64, 25) + conv(in, 64) + conv(64, 96, 9) +
         conv(96, 96, 9) + conv(in, pool);
}

constexpr int64_t block_c(int64_t c) {
  return 2 * conv(768, 192) + 2 * conv(768, c) + conv(c, c, 7) + conv(c, 192, 7) +
         3 * conv(c, c, 7) + conv(c, 192, 7);
}

constexpr int64_t block_e(int64_t in) {
  return conv(in, 320) + conv(in, 384) + 4 * conv(384, 384, 3) + conv(in, 448) + conv(448, 384, 9) +
         conv(in, 192);
}

/// Counts the parameters by hand from figure 5 to 7 and table 1 of Szegedy et al.
constexpr int64_t kBackbone =
    conv(3, 32, 9) + conv(32, 32, 9) + conv(32, 64, 9) + conv(64, 80) + conv(80, 192, 9) +
    block_a(192, 32) + block_a(256, 64) + block_a(288, 64) + conv(288, 384, 9) + conv(288, 64) +
    conv(64, 96, 9) + conv(96, 96, 9) + block_c(128) + 2 * block_c(160) + block_c(192) +
    2 * conv(768, 192) + conv(192, 320, 9) + 2 * conv(192, 192, 7) + conv(192, 192, 9) +
    block_e(1280) + block_e(2048);

TEST(InceptionV3, HasTheParametersCountedByHand) {
  EXPECT_EQ(kBackbone, 21785568);
  const int64_t heads =
      conv(768, 128) + conv(128, 768, 25) + 768 * 1000 + 1000 + 2048 * 1000 + 1000;
  EXPECT_EQ(kBackbone + heads, 27161264);  // as torchvision's documentation states
  EXPECT_EQ(parameters_of(InceptionV3(1000, true)), 27161264);
}

TEST(InceptionV3, BearsTheNamesOfTorchvision) {
  const InceptionV3 model(1000, true);
  const auto parameters = model.named_parameters();
  EXPECT_EQ(parameters.size(), 292u);  // 94 + 2 convolutions, 3 tensors each, and two dense layers
  EXPECT_EQ(parameters["Mixed_7c.branch3x3dbl_3b.conv.weight"].sizes(),
            (at::IntArrayRef{384, 384, 3, 1}));
  EXPECT_EQ(parameters["Mixed_6b.branch7x7_2.conv.weight"].sizes(),
            (at::IntArrayRef{128, 128, 1, 7}));
  EXPECT_EQ(parameters["AuxLogits.conv1.bn.bias"].sizes(), (at::IntArrayRef{768}));
  EXPECT_EQ(model.named_buffers().size(), 192u);
}

TEST(IcDr, ListsItsLayers) {
  EXPECT_EQ(kBackbone + 2048 * 1024 + 1024 + 1024 * 5 + 5, 23888869);
  expect_layers_fit(IcDr(75), {3 * 75 * 75, 23888869, 5});
}

TEST(IcDr, TakesPicturesOfAnySizeFrom75) {
  at::set_num_threads(1);
  const c10::AutoGradMode no_grad(false);
  EXPECT_EQ(IcDr(75).forward(at::rand({2, 3, 75, 75}), true).sizes(), (at::IntArrayRef{2, 5}));
}

/// Compares with torchvision's definition. LAPCAST_INCEPTION names a file that
/// suite/programs/python/write_inception.py wrote where torchvision is installed.
TEST(InceptionV3, ComputesWhatTorchvisionDoes) {
  const char* file = std::getenv("LAPCAST_INCEPTION");
  if (!file) GTEST_SKIP() << "needs torchvision: suite/programs/python/write_inception.py";
  at::set_num_threads(1);
  const c10::AutoGradMode no_grad(false);
  const NamedTensors tensors = read_state_dict(file);
  InceptionV3 model(1000, true);
  load_state_dict(model, tensors, file, {"test."});
  const at::Tensor images = tensors.at("test.images");
  const at::Tensor validated = model.forward(images, false).logits;
  EXPECT_TRUE(at::allclose(validated, tensors.at("test.logits"), 1e-3, 1e-4))
      << (validated - tensors.at("test.logits")).abs().max().item<double>();
  const at::Tensor auxiliary = model.forward(images, true).auxiliary;
  EXPECT_TRUE(at::allclose(auxiliary, tensors.at("test.auxiliary"), 1e-3, 1e-3))
      << (auxiliary - tensors.at("test.auxiliary")).abs().max().item<double>();
}

TEST(Plateau, WorkedByHand) {
  Plateau plateau;
  plateau.patience = 2;
  plateau.see(1.0);
  plateau.see(0.99995);  // too small a fall
  EXPECT_EQ(plateau.scale, 1);
  plateau.see(1.1);
  EXPECT_DOUBLE_EQ(plateau.scale, 0.1);
  plateau.see(0.9), plateau.see(0.95);
  EXPECT_DOUBLE_EQ(plateau.scale, 0.1);
  plateau.see(0.95);
  EXPECT_DOUBLE_EQ(plateau.scale, 0.01);
  Plateau never;
  for (int i = 0; i < 50; ++i) never.see(1);
  EXPECT_EQ(never.scale, 1);
}

}  // namespace
}  // namespace lapcast::workloads

#include "detection/mask_rcnn.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>

#include "data/picture.h"
#include "detection/drawing.h"
#include "detection/image_sizes.h"
#include "detection/scene.h"
#include "detection/weights.h"

namespace lapcast::workloads {
namespace {

DetectionSettings small_settings() {
  DetectionSettings settings;
  settings.short_side = 64;
  settings.long_side = 96;
  settings.proposals = {20, 20};
  settings.detections.least_score = 0.001;
  settings.detections.count = 5;
  return settings;
}

/// Holds one network over ResNet-50, which takes a second to make, with its normalisations changed.
class SmallMaskRcnn : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const c10::NoGradGuard no_gradients;
    at::manual_seed(1);
    network = std::make_shared<MaskRcnn>(50, 3);
    for (const auto& buffer : network->named_buffers()) {
      const bool is_mean = buffer.key().ends_with("mean");
      is_mean ? buffer.value().uniform_(-0.1, 0.1) : buffer.value().uniform_(0.5, 1.5);
    }
  }
  static void TearDownTestSuite() { network.reset(); }

  static inline std::shared_ptr<MaskRcnn> network;
  const c10::NoGradGuard no_gradients_;
};

TEST_F(SmallMaskRcnn, HasTheNamesOfTorchvision) {
  const auto parameters = network->named_parameters();
  EXPECT_EQ(parameters["backbone.body.layer1.0.downsample.0.weight"].sizes(),
            (at::IntArrayRef{256, 64, 1, 1}));
  EXPECT_EQ(parameters["backbone.fpn.inner_blocks.3.0.weight"].sizes(),
            (at::IntArrayRef{256, 2048, 1, 1}));
  EXPECT_EQ(parameters["rpn.head.conv.0.0.weight"].sizes(), (at::IntArrayRef{256, 256, 3, 3}));
  EXPECT_EQ(parameters["roi_heads.box_predictor.bbox_pred.weight"].sizes(),
            (at::IntArrayRef{12, 1024}));
  EXPECT_EQ(parameters["roi_heads.mask_predictor.conv5_mask.weight"].sizes(),
            (at::IntArrayRef{256, 256, 2, 2}));
  // Of the 44,401,393 for 91 classes each class has 1,025 of the scores, 4,100 of the boxes and 257
  // of the masks. ./mask-rcnn --describe says the number for 91.
  EXPECT_EQ(network->trained_numbers(), 44401393 - 88 * (1025 + 4100 + 257));
}

TEST_F(SmallMaskRcnn, ComputesTheSameWithItsNormalisationsFolded) {
  const Picture scene = draw_scene(48, 64, 1);
  const at::Tensor bytes = at::tensor(at::ArrayRef<uint8_t>(scene.pixels)).to(at::kFloat);
  const at::Tensor picture = (bytes / 255).reshape({48, 64, 3}).permute({2, 0, 1});
  const Detections plain = network->detect(picture, small_settings());
  network->fold_norms(1e-5);
  const Detections folded = network->detect(picture, small_settings());
  ASSERT_EQ(plain.boxes.size(0), 5);
  EXPECT_TRUE(at::allclose(plain.boxes, folded.boxes, 1e-3, 1e-2));
  EXPECT_TRUE(at::allclose(plain.scores, folded.scores, 1e-3, 1e-4));
  EXPECT_TRUE(at::allclose(plain.masks, folded.masks, 1e-3, 1e-2));
  EXPECT_EQ(folded.masks.sizes(), (at::IntArrayRef{5, 1, 48, 64}));
  EXPECT_GE(folded.labels.min().item<int64_t>(), 1);
  DetectionSettings none = small_settings();
  none.detections.least_score = 1;
  EXPECT_EQ(network->detect(picture, none).masks.sizes(), (at::IntArrayRef{0, 1, 48, 64}));
}

/// A network moves to a device as it moves to a type.
TEST_F(SmallMaskRcnn, MovesWithItsNormalisationsFolded) {
  const auto moved = std::make_shared<MaskRcnn>(50, 3);
  moved->fold_norms(1e-5);
  moved->to(at::kDouble);
  const auto body = moved->named_modules()["backbone.body.conv1"];
  const at::Tensor bias = body->as<torch::nn::Conv2d>()->bias;
  EXPECT_EQ(bias.scalar_type(), at::kDouble);
  ASSERT_NO_THROW(body->as<torch::nn::Conv2d>()->forward(at::rand({1, 3, 8, 8}, at::kDouble)));
}

TEST(MaskRcnnImages, AreResizedToTheShorterOrTheLongerSide) {
  const DetectionSettings usual;
  EXPECT_EQ(resized({1152, 1600}, usual), (Sides{800, 1111}));
  EXPECT_EQ(resized({443, 760}, usual), (Sides{776, 1333}));  // 443 x 1333 / 760 = 776.99
  EXPECT_EQ(resized({1, 16000}, usual), (Sides{1, 1333}));
}

TEST(MaskRcnnWeights, OldNamesBecomeThePresentOnes) {
  const at::Tensor one = at::ones({1});
  const NamedTensors present = with_present_names({{"backbone.fpn.inner_blocks.2.bias", one},
                                                   {"backbone.fpn.layer_blocks.0.0.weight", one},
                                                   {"rpn.head.conv.weight", one},
                                                   {"rpn.head.conv.0.0.bias", one},
                                                   {"roi_heads.mask_head.mask_fcn4.weight", one},
                                                   {"roi_heads.mask_head.mask_fcn", one}});
  std::string names;
  for (const auto& [name, tensor] : present) names += name + " ";
  EXPECT_EQ(names,
            "backbone.fpn.inner_blocks.2.0.bias backbone.fpn.layer_blocks.0.0.weight "
            "roi_heads.mask_head.3.0.weight roi_heads.mask_head.mask_fcn rpn.head.conv.0.0.bias "
            "rpn.head.conv.0.0.weight ");
}

TEST(ImageSizes, AreRowsAndColumns) {
  const auto sizes = parse_sizes("1152x1600,443x760");
  ASSERT_TRUE(sizes);
  EXPECT_EQ(*sizes, (std::vector<Sides>{{1152, 1600}, {443, 760}}));
  for (const char* bad :
       {"", "443", "x", "0x5", "5x0", "16385x1", "16384x16384", "4x4,", "4x4x3"}) {
    EXPECT_FALSE(parse_sizes(bad)) << bad;
  }
}

TEST(Scenes, AreTheSameForASeed) {
  const Picture scene = draw_scene(40, 60, 7);
  EXPECT_EQ(scene.pixels.size(), 40u * 60 * 3);
  EXPECT_EQ(scene.pixels, draw_scene(40, 60, 7).pixels);
  EXPECT_NE(scene.pixels, draw_scene(40, 60, 8).pixels);
  EXPECT_EQ(draw_scene(1, 1, 1).pixels.size(), 3u);
}

TEST(Drawing, TintsTheMaskAndDrawsTheBox) {
  Picture picture{4, 5, std::vector<uint8_t>(60, 100)};
  Detections found;
  found.boxes = at::tensor({1.f, 1.f, 3.f, 3.f}).reshape({1, 4});
  found.masks = at::zeros({1, 1, 4, 5});
  found.masks[0][0][2][2] = 0.5;
  draw_detections(picture, found);
  const auto colour = [&](int64_t row, int64_t column) {
    const uint8_t* pixel = picture.at(row, column);
    return std::vector<int>{pixel[0], pixel[1], pixel[2]};
  };
  EXPECT_EQ(colour(0, 0), (std::vector<int>{100, 100, 100}));
  EXPECT_EQ(colour(1, 1), (std::vector<int>{255, 0, 0}));
  EXPECT_EQ(colour(2, 2), (std::vector<int>{177, 50, 50}));  // half of red, half of the picture
}

}  // namespace
}  // namespace lapcast::workloads

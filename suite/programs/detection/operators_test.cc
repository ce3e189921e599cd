// Tests the operators of the detection: worked examples, and slow plain versions of them.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "detection/anchors.h"
#include "detection/boxes.h"
#include "detection/paste_masks.h"
#include "detection/roi_align.h"
#include "detection/suppression.h"

namespace lapcast::workloads {
namespace {

at::Tensor boxes_of(const std::vector<std::array<float, 4>>& rows) {
  std::vector<at::Tensor> tensors;
  for (const auto& row : rows) tensors.push_back(at::tensor({row[0], row[1], row[2], row[3]}));
  return at::stack(tensors);
}

/// Returns boxes anywhere in an image of 100 x 100.
at::Tensor random_boxes(int64_t count) {
  const at::Tensor corner = at::rand({count, 2}) * 90;
  return at::cat({corner, corner + at::rand({count, 2}) * 40 + 1}, 1);
}

TEST(Anchors, AreThoseOfTheDefinition) {
  // Of area 32^2: heights are 32 times the roots of 0.5, 1 and 2, that is 22.6, 32 and 45.3.
  EXPECT_TRUE(at::equal(anchors_of(32),
                        boxes_of({{-23, -11, 23, 11}, {-16, -16, 16, 16}, {-11, -23, 11, 23}})));
  // Two maps of an image of 8 x 16: 1 x 2 places 8 pixels apart, then one place.
  const at::Tensor all = all_anchors({{1, 2}, {1, 1}}, {8, 16});
  ASSERT_EQ(all.sizes(), (at::IntArrayRef{9, 4}));
  EXPECT_TRUE(at::equal(all.slice(0, 3, 6), anchors_of(32) + at::tensor({8.f, 0.f, 8.f, 0.f})));
  EXPECT_TRUE(at::equal(all.slice(0, 6, 9), anchors_of(64)));
}

TEST(Boxes, DecodedByHand) {
  // The box has its centre at (20, 30), width 20, height 40. The centre moves by 0.1 x 20 and
  // 0.5 x 40, the width doubles, and the height would grow more than the limit of 1000/16.
  const at::Tensor box = boxes_of({{10, 10, 30, 50}});
  const at::Tensor difference = at::tensor({1.f, 5.f, 5 * std::log(2.f), 100.f}).reshape({1, 4});
  const at::Tensor decoded = decode_boxes(difference, box, {10, 10, 5, 5});
  EXPECT_TRUE(at::allclose(decoded.reshape({1, 4}), boxes_of({{2, -1200, 42, 1300}}), 1e-5, 1e-3))
      << decoded;
}

TEST(Boxes, AreClippedComparedAndRescaledByHand) {
  EXPECT_TRUE(
      at::equal(clip_boxes(boxes_of({{-5, 3, 200, 80}}), {60, 100}), boxes_of({{0, 3, 100, 60}})));
  // 10 x 10 and 10 x 10 share 5 x 5: 25 / 175.
  EXPECT_NEAR(overlaps(boxes_of({{0, 0, 10, 10}}), boxes_of({{5, 5, 15, 15}})).item<double>(),
              1.0 / 7, 1e-6);
  EXPECT_TRUE(at::equal(rescale_boxes(boxes_of({{10, 10, 20, 40}}), {50, 100}, {100, 50}),
                        boxes_of({{5, 20, 10, 80}})));
  at::Tensor damaged = boxes_of({{0, 0, 5, 5}, {0, 0, 5, 5}});
  damaged[1][0] = std::nanf("");
  EXPECT_TRUE(at::equal(at_least(damaged, 1), at::tensor({1, 0}).to(at::kBool)));
}

TEST(Suppression, WorkedByHand) {
  // The second overlaps the first by 81 / 119, the third the second by as much but not the first
  // (64 / 136), so it is kept when the second is gone. The fourth belongs to another group.
  const at::Tensor boxes =
      boxes_of({{0, 0, 10, 10}, {1, 1, 11, 11}, {2, 2, 12, 12}, {0, 0, 10, 10}});
  const at::Tensor scores = at::tensor({0.9f, 0.8f, 0.7f, 0.95f});
  const at::Tensor groups = at::tensor({1, 1, 1, 2}, at::kLong);
  const at::Tensor expected = at::tensor({3, 0, 2}, at::kLong);
  EXPECT_TRUE(at::equal(suppress(boxes, scores, groups, 0.5), expected));
  EXPECT_TRUE(at::equal(suppress_by_tensors(boxes, scores, groups, 0.5), expected));
  const at::Tensor none = at::zeros({0, 4});
  EXPECT_EQ(suppress(none, at::zeros({0}), at::zeros({0}, at::kLong), 0.5).numel(), 0);
  EXPECT_EQ(suppress_by_tensors(none, at::zeros({0}), at::zeros({0}, at::kLong), 0.5).numel(), 0);
}

/// Suppresses by comparing each box with all that were kept before it.
std::vector<int64_t> plainly_suppressed(const at::Tensor& boxes, const at::Tensor& scores,
                                        const at::Tensor& groups, double threshold) {
  const at::Tensor table = overlaps(boxes, boxes);
  std::vector<int64_t> order, kept;
  for (int64_t i = 0; i < boxes.size(0); ++i) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return scores[a].item<float>() > scores[b].item<float>();
  });
  for (const int64_t i : order) {
    const bool is_free = std::none_of(kept.begin(), kept.end(), [&](int64_t k) {
      return groups[k].item<int64_t>() == groups[i].item<int64_t>() &&
             table[k][i].item<float>() > threshold;
    });
    if (is_free) kept.push_back(i);
  }
  return kept;
}

TEST(Suppression, IsThatOfThePlainDefinition) {
  at::manual_seed(4);
  const at::Tensor boxes = random_boxes(60);
  const at::Tensor scores = (at::rand({60}) * 20).floor() / 20;  // some are equal
  const at::Tensor groups = at::randint(3, {60}, at::kLong);
  const std::vector<int64_t> plain = plainly_suppressed(boxes, scores, groups, 0.3);
  EXPECT_LT(plain.size(), 60u);
  const at::Tensor expected = at::tensor(plain, at::kLong);
  EXPECT_TRUE(at::equal(suppress(boxes, scores, groups, 0.3), expected));
  EXPECT_TRUE(at::equal(suppress_by_tensors(boxes, scores, groups, 0.3), expected));
}

TEST(RoiAlign, WorkedByHand) {
  // Pixel (row, column) holds 10 row + column: interpolation gives 10 y + x at every point, and the
  // mean over a bin that of its centre.
  const at::Tensor map = (at::arange(8).unsqueeze(1) * 10 + at::arange(8)).to(at::kFloat);
  const at::Tensor box = boxes_of({{2, 4, 10, 8}});  // on the map, half as large: x 1..5, y 2..4
  const at::Tensor expected =
      at::tensor({10 * 2.5f + 2, 10 * 2.5f + 4, 10 * 3.5f + 2, 10 * 3.5f + 4})
          .reshape({1, 1, 2, 2});
  const at::Tensor maps = map.reshape({1, 1, 8, 8});
  EXPECT_TRUE(at::allclose(align_rois(maps, box, 0.5, 2), expected));
  EXPECT_TRUE(at::allclose(align_rois_by_tensors(maps, box, 0.5, 2), expected));
}

/// Returns the value of a map between its pixels.
float plain_value(const at::Tensor& map, double y, double x) {
  const auto rows = static_cast<double>(map.size(0)), columns = static_cast<double>(map.size(1));
  if (y < -1 || y > rows || x < -1 || x > columns) return 0;
  y = std::clamp(y, 0.0, rows - 1);
  x = std::clamp(x, 0.0, columns - 1);
  double sum = 0;
  for (int64_t i = 0; i < map.size(0); ++i) {
    for (int64_t j = 0; j < map.size(1); ++j) {
      const double part = std::max(0.0, 1 - std::abs(y - static_cast<double>(i))) *
                          std::max(0.0, 1 - std::abs(x - static_cast<double>(j)));
      sum += part * map[i][j].item<double>();
    }
  }
  return static_cast<float>(sum);
}

at::Tensor plainly_aligned(const at::Tensor& map, const at::Tensor& box, double scale, int side) {
  const auto at_scale = [&](int i) { return box[i].item<double>() * scale; };
  const double width = std::max(at_scale(2) - at_scale(0), 1.0) / side;
  const double height = std::max(at_scale(3) - at_scale(1), 1.0) / side;
  const at::Tensor result = at::zeros({side, side});
  for (int row = 0; row < 2 * side; ++row) {
    for (int column = 0; column < 2 * side; ++column) {
      result[row / 2][column / 2] += plain_value(map, at_scale(1) + (row / 2.0 + 0.25) * height,
                                                 at_scale(0) + (column / 2.0 + 0.25) * width) /
                                     4;
    }
  }
  return result;
}

TEST(RoiAlign, IsThatOfThePlainDefinition) {
  at::manual_seed(5);
  const at::Tensor maps = at::randn({1, 2, 6, 7});
  // One box within the image, one beyond its end, one far outside, one without an area.
  const at::Tensor boxes =
      boxes_of({{3, 2, 17, 20}, {10, 5, 40, 30}, {60, 60, 80, 90}, {9, 9, 9, 9}});
  const at::Tensor ours = align_rois(maps, boxes, 0.25, 3);
  for (int64_t box = 0; box < 4; ++box) {
    for (int64_t c = 0; c < 2; ++c) {
      const at::Tensor plain = plainly_aligned(maps[0][c], boxes[box], 0.25, 3);
      EXPECT_TRUE(at::allclose(ours[box][c], plain, 1e-5, 1e-5)) << box << ours[box][c] << plain;
    }
  }
  EXPECT_TRUE(at::allclose(align_rois_by_tensors(maps, boxes, 0.25, 3), ours, 1e-5, 1e-5));
  EXPECT_EQ(align_rois(maps, at::zeros({0, 4}), 0.25, 3).sizes(), (at::IntArrayRef{0, 2, 3, 3}));
}

TEST(RoiAlign, SurvivesBoxesThatAreNoNumbers) {
  const at::Tensor boxes = at::full({1, 4}, std::nanf(""));
  EXPECT_EQ(align_rois(at::ones({1, 1, 4, 4}), boxes, 1, 2).abs().sum().item<float>(), 0);
}

TEST(PyramidLevels, FollowTheSizeOfTheBox) {
  // 224 pixels belong to the third map, half as many to the second, twice as many to the fourth.
  const at::Tensor boxes = boxes_of({{0, 0, 224, 224},
                                     {0, 0, 112, 112},
                                     {0, 0, 223, 223},
                                     {0, 0, 448, 448},
                                     {0, 0, 1, 1},
                                     {0, 0, 5000, 5000}});
  EXPECT_TRUE(at::equal(pyramid_levels(boxes), at::tensor({2, 1, 1, 3, 0, 3}, at::kLong)));
  const std::vector<at::Tensor> maps = {at::full({1, 1, 8, 8}, 1.f), at::full({1, 1, 4, 4}, 2.f),
                                        at::full({1, 1, 2, 2}, 3.f), at::full({1, 1, 1, 1}, 4.f)};
  const at::Tensor small = boxes_of({{0, 0, 20, 20}, {0, 0, 32, 32}, {-100, -100, 32, 32}});
  EXPECT_EQ(align_in_pyramid(maps, small.slice(0, 0, 2), 7).mean().item<float>(), 1);
}

TEST(PasteMasks, WorkedByHand) {
  // A mask of 2 x 2 ones over a box of 2 x 2 pixels gets a border of one and covers 4 x 4 pixels
  // from 1 to 4: the factor is 2, the box 1..5 in whole pixels, 5 x 5 of them.
  const at::Tensor pasted = paste_masks(at::ones({1, 1, 2, 2}), boxes_of({{2, 2, 4, 4}}), {6, 8});
  ASSERT_EQ(pasted.sizes(), (at::IntArrayRef{1, 1, 6, 8}));
  const at::Tensor image = pasted[0][0];
  EXPECT_EQ(image[3][3].item<float>(), 1);
  EXPECT_EQ(image[0].sum().item<float>(), 0);
  EXPECT_EQ(image.slice(1, 6, 8).sum().item<float>(), 0);
  // The first of 5 points over 4 pixels lies at 0.8 x 0.5 - 0.5 = -0.1, in the border; the second
  // at 0.7 of the way into the mask.
  EXPECT_EQ(image[1][3].item<float>(), 0);
  EXPECT_NEAR(image[2][3].item<float>(), 0.7, 1e-6);
}

TEST(PasteMasks, CutsWhatIsOutsideOfTheImage) {
  const at::Tensor pasted =
      paste_masks(at::ones({2, 1, 4, 4}), boxes_of({{-4, -4, 4, 4}, {0, 0, 0, 0}}), {3, 3});
  EXPECT_EQ(pasted[0].min().item<float>(), 1);
  EXPECT_EQ(paste_masks(at::ones({0, 1, 4, 4}), at::zeros({0, 4}), {3, 3}).sizes(),
            (at::IntArrayRef{0, 1, 3, 3}));
}

}  // namespace
}  // namespace lapcast::workloads

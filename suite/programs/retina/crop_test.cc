#include "retina/crop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace lapcast::workloads {
namespace {

std::vector<int> greens(const Picture& photo) {
  std::vector<int> values;
  for (size_t i = 1; i < photo.pixels.size(); i += 3) values.push_back(photo.pixels[i]);
  return values;
}

/// Holds the 4x4 picture of the numbers 0, 10, ... 150 as green, with red 1 and blue 200.
Picture numbers() {
  Picture photo;
  photo.resize(4, 4);
  for (size_t i = 0; i < 16; ++i) {
    photo.pixels[3 * i] = 1;
    photo.pixels[3 * i + 1] = static_cast<uint8_t>(10 * i);
    photo.pixels[3 * i + 2] = 200;
  }
  return photo;
}

TEST(EyeCropper, KeepsPixelsAtTheirOwnSize) {
  EyeCropper cropper(4);
  EXPECT_EQ(cropper.crop(numbers(), {1.5, 1.5, 2}).pixels, numbers().pixels);
}

/// Means by hand: (0 + 10 + 40 + 50) / 4 = 25, and so on.
TEST(EyeCropper, TakesTheMeanOfTheAreaOfAPixel) {
  EyeCropper cropper(2);
  const Picture small = cropper.crop(numbers(), {1.5, 1.5, 2});
  EXPECT_EQ(greens(small), (std::vector{25, 45, 105, 125}));
  EXPECT_EQ(small.pixels[2], 200);
}

TEST(EyeCropper, IsBlackBeyondThePhotograph) {
  EyeCropper cropper(4);
  const Picture moved = cropper.crop(numbers(), {-0.5, 1.5, 2});  // two columns to the left of it
  EXPECT_EQ(greens(moved), (std::vector{0, 0, 0, 10, 0, 0, 40, 50, 0, 0, 80, 90, 0, 0, 120, 130}));
  const std::vector<int> far = greens(cropper.crop(numbers(), {100, 100, 5}));
  EXPECT_EQ(std::count(far.begin(), far.end(), 0), 16);
}

}  // namespace
}  // namespace lapcast::workloads

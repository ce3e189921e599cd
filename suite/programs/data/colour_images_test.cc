#include "data/colour_images.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>
#include <vector>

#include "data/linear_classifier.h"

namespace lapcast::workloads {
namespace {

TEST(ColourImages, TheSameSeedGivesTheSameImagesOnAnyNumberOfThreads) {
  Cifar10Images one = make_colour_images(60, 5, Cifar10Part::kTraining, 1);
  const Cifar10Images three = make_colour_images(60, 5, Cifar10Part::kTraining, 3);
  EXPECT_EQ(one.labels, three.labels);
  EXPECT_EQ(one.pixels, three.pixels);
  EXPECT_NE(one.pixels, make_colour_images(60, 5, Cifar10Part::kTest, 1).pixels);
  EXPECT_NE(one.pixels, make_colour_images(60, 6, Cifar10Part::kTraining, 1).pixels);
  one.keep_first(20);
  EXPECT_EQ(one.pixels, make_colour_images(20, 5, Cifar10Part::kTraining, 2).pixels);
}

TEST(ColourImages, ASmallSetHasEveryClass) {
  std::array<int, kCifarClasses> counts{};
  for (uint8_t label : make_colour_images(64, 3, Cifar10Part::kTraining, 1).labels) ++counts[label];
  for (int count : counts) EXPECT_GE(count, 6);
}

TEST(ColourImages, EveryClassIsAsFrequent) {
  const Cifar10Images images = make_colour_images(3000, 1, Cifar10Part::kTraining, 2);
  std::array<int, kCifarClasses> counts{};
  for (uint8_t label : images.labels) ++counts[label];
  for (int count : counts) EXPECT_EQ(count, 300);
}

/// Checks that the shape is visible: its brightness differs from the background's by a guaranteed
/// amount, so every image has a wide range of values.
TEST(ColourImages, EveryImageShowsSomething) {
  const Cifar10Images images = make_colour_images(500, 1, Cifar10Part::kTraining, 2);
  for (int64_t i = 0; i < images.count(); ++i) {
    std::vector<uint8_t> values(images.pixels.begin() + i * kCifarPixels,
                                images.pixels.begin() + (i + 1) * kCifarPixels);
    std::sort(values.begin(), values.end());
    EXPECT_GT(values[values.size() * 98 / 100] - values[values.size() * 2 / 100], 30) << i;
  }
}

/// Checks that the set is not trivial. Colour alone helps a little, as in photographs.
TEST(ColourImages, ALinearClassifierStaysBelow45Percent) {
  const bool full = std::getenv("LAPCAST_LONG_TESTS") != nullptr;
  const int64_t count = full ? 50000 : 3000;
  const Cifar10Images training = make_colour_images(count, 1, Cifar10Part::kTraining, 2);
  const Cifar10Images test = make_colour_images(2000, 1, Cifar10Part::kTest, 2);
  LinearClassifier<kCifarPixels, kCifarClasses> classifier;
  double best = 0;
  for (int epoch = 0; epoch < 4; ++epoch) {
    classifier.train(training.pixels, training.labels, 0.002f / static_cast<float>(1 + epoch));
    best = std::max(best, classifier.accuracy(test.pixels, test.labels));
  }
  std::cout << count << " images, 4 epochs: best " << best << '\n';
  EXPECT_LT(best, 0.45);
  EXPECT_GT(best, 0.12);  // The classifier has learned something.
}

}  // namespace
}  // namespace lapcast::workloads

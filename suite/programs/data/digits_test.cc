#include "data/digits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>
#include <vector>

#include "data/linear_classifier.h"

namespace lapcast::workloads {
namespace {

TEST(Digits, TheSameSeedGivesTheSameImagesOnAnyNumberOfThreads) {
  const LabelledImages one = make_digits(300, 5, MnistPart::kTraining, 1);
  const LabelledImages three = make_digits(300, 5, MnistPart::kTraining, 3);
  EXPECT_EQ(one.labels, three.labels);
  EXPECT_EQ(one.images.pixels, three.images.pixels);
}

TEST(Digits, AShorterSetIsTheBeginningOfALongerOne) {
  LabelledImages longer = make_digits(200, 5, MnistPart::kTest, 2);
  longer.keep_first(50);
  EXPECT_EQ(make_digits(50, 5, MnistPart::kTest, 1).images.pixels, longer.images.pixels);
}

TEST(Digits, SeedsAndPartsDiffer) {
  const LabelledImages training = make_digits(50, 5, MnistPart::kTraining, 1);
  EXPECT_NE(training.images.pixels, make_digits(50, 6, MnistPart::kTraining, 1).images.pixels);
  EXPECT_NE(training.images.pixels, make_digits(50, 5, MnistPart::kTest, 1).images.pixels);
}

TEST(Digits, ASmallSetHasEveryClass) {
  std::array<int, kDigitClasses> counts{};
  for (uint8_t label : make_digits(64, 3, MnistPart::kTraining, 1).labels) ++counts[label];
  for (int count : counts) EXPECT_GE(count, 6);
}

TEST(Digits, EveryClassIsAsFrequent) {
  const LabelledImages set = make_digits(10000, 1, MnistPart::kTraining, 2);
  std::array<int, kDigitClasses> counts{};
  for (uint8_t label : set.labels) ++counts[label];
  for (int count : counts) EXPECT_EQ(count, 1000);
}

TEST(Digits, EveryImageHasInk) {
  const LabelledImages set = make_digits(500, 1, MnistPart::kTraining, 2);
  for (int64_t i = 0; i < set.images.count; ++i) {
    const auto* first = set.images.pixels.data() + i * kDigitPixels;
    EXPECT_GT(std::count_if(first, first + kDigitPixels, [](uint8_t p) { return p > 90; }), 8);
  }
}

/// Checks that the set is not trivial; LAPCAST_LONG_TESTS=1 uses as many digits as MNIST has.
TEST(Digits, ALinearClassifierStaysBelow92Percent) {
  const bool full = std::getenv("LAPCAST_LONG_TESTS") != nullptr;
  const LabelledImages training = make_digits(full ? 60000 : 8000, 1, MnistPart::kTraining, 2);
  const LabelledImages test = make_digits(full ? 10000 : 2000, 1, MnistPart::kTest, 2);
  LinearClassifier<kDigitPixels, kDigitClasses> classifier;
  double best = 0;
  const int epochs = full ? 30 : 6;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    classifier.train(training.images.pixels, training.labels,
                     0.02f / static_cast<float>(1 + epoch));
    best = std::max(best, classifier.accuracy(test.images.pixels, test.labels));
  }
  std::cout << training.images.count << " images, " << epochs << " epochs: best " << best << '\n';
  EXPECT_LT(best, 0.92);
  EXPECT_GT(best, 0.5);  // The classifier has learned something.
}

}  // namespace
}  // namespace lapcast::workloads

#include "data/digits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <vector>

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

TEST(Digits, EveryClassIsAboutAsFrequent) {
  const LabelledImages set = make_digits(10000, 1, MnistPart::kTraining, 2);
  std::array<int, kDigitClasses> counts{};
  for (uint8_t label : set.labels) ++counts[label];
  // Binomial: mean 1,000, deviation 30.
  for (int count : counts) EXPECT_NEAR(count, 1000, 150);
}

TEST(Digits, EveryImageHasInk) {
  const LabelledImages set = make_digits(500, 1, MnistPart::kTraining, 2);
  for (int64_t i = 0; i < set.images.count; ++i) {
    const auto* first = set.images.pixels.data() + i * kDigitPixels;
    EXPECT_GT(std::count_if(first, first + kDigitPixels, [](uint8_t p) { return p > 90; }), 8);
  }
}

/// Softmax regression: one linear map from pixels to classes, trained by gradient descent.
class LinearClassifier {
 public:
  using Weights = std::array<float, kDigitPixels + 1>;  // the last is the bias

  /// One pass in batches of one, from the first sample to the last.
  void train(const LabelledImages& set, float learning_rate) {
    for (int64_t i = 0; i < set.images.count; ++i) {
      const Weights x = input(set, i);
      std::array<float, kDigitClasses> p = logits(x);
      const float top = *std::max_element(p.begin(), p.end());
      float sum = 0;
      for (float& v : p) sum += v = std::exp(v - top);
      for (size_t k = 0; k < p.size(); ++k) {
        const float wrong = p[k] / sum - (set.labels[static_cast<size_t>(i)] == k ? 1.0f : 0.0f);
        for (size_t j = 0; j < x.size(); ++j) weights_[k][j] -= learning_rate * wrong * x[j];
      }
    }
  }

  double accuracy(const LabelledImages& set) const {
    int64_t right = 0;
    for (int64_t i = 0; i < set.images.count; ++i) {
      const std::array<float, kDigitClasses> p = logits(input(set, i));
      right +=
          std::max_element(p.begin(), p.end()) - p.begin() == set.labels[static_cast<size_t>(i)];
    }
    return static_cast<double>(right) / static_cast<double>(set.images.count);
  }

 private:
  static Weights input(const LabelledImages& set, int64_t i) {
    Weights x{};
    const uint8_t* pixels = set.images.pixels.data() + i * kDigitPixels;
    for (size_t j = 0; j < kDigitPixels; ++j) x[j] = static_cast<float>(pixels[j]) / 255;
    x[kDigitPixels] = 1;
    return x;
  }

  std::array<float, kDigitClasses> logits(const Weights& x) const {
    std::array<float, kDigitClasses> out{};
    for (size_t k = 0; k < out.size(); ++k) {
      out[k] = std::inner_product(x.begin(), x.end(), weights_[k].begin(), 0.0f);
    }
    return out;
  }

  std::array<Weights, kDigitClasses> weights_{};
};

/// The set's promise: not trivial. With LAPCAST_LONG_TESTS=1 at the size of MNIST.
TEST(Digits, ALinearClassifierStaysBelow92Percent) {
  const bool full = std::getenv("LAPCAST_LONG_TESTS") != nullptr;
  const LabelledImages training = make_digits(full ? 60000 : 8000, 1, MnistPart::kTraining, 2);
  const LabelledImages test = make_digits(full ? 10000 : 2000, 1, MnistPart::kTest, 2);
  LinearClassifier classifier;
  double best = 0;
  const int epochs = full ? 30 : 6;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    classifier.train(training, 0.02f / static_cast<float>(1 + epoch));
    best = std::max(best, classifier.accuracy(test));
  }
  std::cout << training.images.count << " images, " << epochs << " epochs: best " << best << '\n';
  EXPECT_LT(best, 0.92);
  EXPECT_GT(best, 0.5);  // it did learn
}

}  // namespace
}  // namespace lapcast::workloads

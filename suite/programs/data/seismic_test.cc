#include "data/seismic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>

#include "data/files_test.h"
#include "data/linear_classifier.h"

namespace lapcast::workloads {
namespace {

namespace fs = std::filesystem;

class SeismicTest : public FilesTest {
 protected:
  std::string error() const {
    try {
      read_seismic(folder_, SeismicPart::kTraining);
    } catch (const FileError& e) {
      return e.what();
    }
    return "";
  }
};

TEST_F(SeismicTest, ReadsWhatItWrote) {
  const LabelledImages set = make_patches(20, 3, SeismicPart::kValidation, 1);
  for (bool gzip : {true, false}) {
    if (gzip && !knows_packed_files()) continue;
    write_seismic(folder_, SeismicPart::kValidation, set, gzip);
    const LabelledImages read = read_seismic(folder_, SeismicPart::kValidation);
    EXPECT_EQ(read.labels, set.labels);
    EXPECT_EQ(read.images.pixels, set.images.pixels);
    fs::remove(folder_ / "validation-images-idx3-ubyte.gz");
  }
  EXPECT_TRUE(fs::exists(folder_ / "validation-labels-idx1-ubyte"));
}

TEST_F(SeismicTest, RefusesOtherSizesAndLabels) {
  const std::string labels = (folder_ / "train-labels-idx1-ubyte").string();
  LabelledImages set;
  set.images = {2, 28, 28, std::vector<uint8_t>(2 * 784)};
  set.labels = {0, 1};
  write_labelled_images(folder_, "train", set, false);
  EXPECT_EQ(error(), folder_.string() + ": images of 28x28, expected 64x64");
  set.images = {2, 64, 64, std::vector<uint8_t>(2 * kPatchSamples)};
  set.labels = {0, 2};
  write_labelled_images(folder_, "train", set, false);
  EXPECT_EQ(error(), labels + ": byte 9: label 2, expected 0 to 1");
  set.labels = {0, 1, 1};
  write_labelled_images(folder_, "train", set, false);
  EXPECT_EQ(error(), labels + ": byte 4: 3 labels for the 2 images of train-images-idx3-ubyte");
}

TEST(Patches, TheSameSeedGivesTheSamePatchesOnAnyNumberOfThreads) {
  LabelledImages one = make_patches(60, 5, SeismicPart::kTraining, 1);
  const LabelledImages three = make_patches(60, 5, SeismicPart::kTraining, 3);
  EXPECT_EQ(one.labels, three.labels);
  EXPECT_EQ(one.images.pixels, three.images.pixels);
  EXPECT_NE(one.images.pixels, make_patches(60, 5, SeismicPart::kValidation, 1).images.pixels);
  EXPECT_NE(one.images.pixels, make_patches(60, 6, SeismicPart::kTraining, 1).images.pixels);
  one.keep_first(20);
  EXPECT_EQ(one.images.pixels, make_patches(20, 5, SeismicPart::kTraining, 2).images.pixels);
}

TEST(Patches, HalfHaveAnApexAndEachReachesItsFullAmplitude) {
  const LabelledImages set = make_patches(2000, 1, SeismicPart::kTraining, 2);
  EXPECT_EQ(std::count(set.labels.begin(), set.labels.end(), 1), 1000);
  for (int64_t i = 0; i < set.images.count; ++i) {
    const auto* first = set.images.pixels.data() + i * kPatchSamples;
    const auto [low, high] = std::minmax_element(first, first + kPatchSamples);
    EXPECT_TRUE(*low == 1 || *high == 255) << i;
    EXPECT_GE(*low, 1) << i;
  }
}

/// Checks that the set is not trivial. A patch and its negative are equally likely.
TEST(Patches, ALinearClassifierStaysBelow65Percent) {
  const bool full = std::getenv("LAPCAST_LONG_TESTS") != nullptr;
  const LabelledImages training = make_patches(full ? 40512 : 3000, 1, SeismicPart::kTraining, 2);
  const LabelledImages test = make_patches(2000, 1, SeismicPart::kValidation, 2);
  LinearClassifier<kPatchSamples, kPatchClasses> classifier;
  double best = 0;
  for (int epoch = 0; epoch < 5; ++epoch) {
    classifier.train(training.images.pixels, training.labels,
                     0.003f / static_cast<float>(1 + epoch));
    best = std::max(best, classifier.accuracy(test.images.pixels, test.labels));
  }
  std::cout << training.images.count << " patches, 5 epochs: best " << best << '\n';
  EXPECT_LT(best, 0.65);
}

}  // namespace
}  // namespace lapcast::workloads

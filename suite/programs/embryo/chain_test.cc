// Tests the image chain: tones, rotations and whole frames. Small cases are worked out by hand; a
// plain implementation of the whole chain checks the fast one.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <numbers>
#include <string>
#include <vector>

#include "common/random.h"
#include "data/png.h"
#include "embryo/drawing.h"
#include "embryo/prepare.h"
#include "embryo/rotations.h"
#include "embryo/shadows.h"
#include "embryo/weighted_sums.h"

namespace lapcast::workloads {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<uint8_t>;

TEST(Tones, AreEqualisedByHand) {
  // The value 10 occurs three times, 20 once, 30 four times and 200 twice; 7 pixels are not the
  // darkest.
  const ToneTable tones = equalising_tones(Bytes{10, 10, 10, 20, 30, 30, 30, 30, 200, 200});
  EXPECT_EQ(tones[10], 0);
  EXPECT_EQ(tones[20], 36);   // 1/7 of 255 = 36.4
  EXPECT_EQ(tones[30], 182);  // 5/7: 182.1
  EXPECT_EQ(tones[200], 255);
}

TEST(Tones, LeaveAnImageOfOneValue) {
  EXPECT_EQ(equalising_tones(Bytes{7, 7, 7})[7], 7);
  EXPECT_EQ(shadow_tones(Bytes{7, 7, 7})[7], 121);
}

TEST(Tones, InvertShadows) {
  const ToneTable tones = shadow_tones(Bytes{10, 10, 10, 20, 30, 30, 30, 30, 200, 200});
  EXPECT_EQ(tones[10], 128);
  EXPECT_EQ(tones[20], 92);
  EXPECT_EQ(tones[30], 54);
  EXPECT_EQ(tones[200], 127);
}

TEST(WeightedSums, AreComputedByHand) {
  WeightedSums sums;
  sums.taps = {{0, 0.5f}, {1, 0.25f}, {2, 0.25f}};
  sums.end_sum();
  sums.taps.push_back({1, 1});
  sums.end_sum();
  Bytes pixels(3 * kImagesAtOnce), out(2 * kImagesAtOnce);
  for (uint8_t image = 0; image < kImagesAtOnce; ++image) {
    pixels[image] = image;                    // first pixels
    pixels[kImagesAtOnce + image] = 100;      // second
    pixels[2 * kImagesAtOnce + image] = 200;  // third
  }
  apply(sums, pixels.data(), out.data());
  EXPECT_EQ(out[0], 75);  // 0 / 2 + 25 + 50
  EXPECT_EQ(out[3], 77);  // 1.5 + 75, halves up
  EXPECT_EQ(out[4], 77);
  EXPECT_EQ(out[kImagesAtOnce + 15], 100);
}

TEST(WeightedSums, AreTheSameWithAndWithoutVectors) {
  Random random(1);
  Bytes pixels(500 * kImagesAtOnce);
  for (uint8_t& p : pixels) p = static_cast<uint8_t>(random.bits());
  WeightedSums sums;
  for (int i = 0; i < 300; ++i) {
    const uint32_t count = 1 + random.below(60);
    for (uint32_t k = 0; k < count; ++k) {
      sums.taps.push_back({random.below(500), random.unit() / static_cast<float>(count)});
    }
    sums.end_sum();
  }
  Bytes fast(300 * kImagesAtOnce), plain(300 * kImagesAtOnce);
  apply(sums, pixels.data(), fast.data());
  detail::apply_plain(sums, pixels.data(), plain.data());
  EXPECT_EQ(fast, plain);
}

TEST(Rotations, AQuarterTurnIsCounterClockwise) {
  Bytes from(kPatchPixels), to(kPatchPixels);
  from[10] = 1;                   // first row, column 10
  from[3 * kPatchSide + 63] = 2;  // right end of row 3
  quarter_turn(std::span<const uint8_t, kPatchPixels>(from), std::span<uint8_t, kPatchPixels>(to));
  EXPECT_EQ(to[(63 - 10) * kPatchSide], 1);  // the top row becomes the left column, upside down
  EXPECT_EQ(to[3], 2);                       // the right column becomes the top row
  EXPECT_EQ(std::count(to.begin(), to.end(), 0), kPatchPixels - 2);
}

/// Returns the patches of one crop in the first place of a group.
Patches patches_of(const Bytes& crop) {
  CropGroup group(size_t{kCropPixels} * kImagesAtOnce);
  for (size_t i = 0; i < crop.size(); ++i) group[i * kImagesAtOnce] = crop[i];
  std::array<Patches, kImagesAtOnce> patches;
  Rotations().turn(group, patches);
  return patches[0];
}

TEST(Rotations, TheFirstIsTheMeanOfFiveByFive) {
  Bytes crop(kCropPixels);
  for (int k = 0; k < 5; ++k) crop[static_cast<size_t>(7 * kCropSide + 10 + k)] = 100;
  const Patches patches = patches_of(crop);
  // Row 7 is in patch row 1 and columns 10 to 14 in patch column 2: 5 of 25 pixels.
  EXPECT_EQ(patches[1 * kPatchSide + 2], 20);
  EXPECT_EQ(std::count(patches.begin(), patches.begin() + kPatchPixels, 0), kPatchPixels - 1);
}

TEST(Rotations, TurnTheMiddleOntoItselfAndCutTheCorners) {
  const Patches patches = patches_of(Bytes(kCropPixels, 128));
  for (size_t r = 0; r < kRotations; ++r) {
    const uint8_t* patch = patches.data() + r * kPatchPixels;
    EXPECT_EQ(patch[32 * kPatchSide + 32], 128);
    EXPECT_EQ(patch[0], r % 5 == 0 ? 128 : 0) << r;  // outside of the turned square
  }
}

TEST(Rotations, CarryASpotAround) {
  Bytes crop(kCropPixels);  // a spot of 9x9, 100 pixels to the right of the middle
  for (int y = -4; y <= 4; ++y) {
    for (int x = -4; x <= 4; ++x) crop[static_cast<size_t>((160 + y) * kCropSide + 260 + x)] = 128;
  }
  const Patches patches = patches_of(crop);
  for (int r = 0; r < kRotations; ++r) {
    const uint8_t* patch = patches.data() + r * kPatchPixels;
    const auto top = std::max_element(patch, patch + kPatchPixels) - patch;
    const double angle = r * 18 * std::numbers::pi / 180;
    EXPECT_NEAR(static_cast<double>(top % kPatchSide), 31.5 + 20 * std::cos(angle), 1.1) << r;
    EXPECT_NEAR(static_cast<double>(top / kPatchSide), 31.5 - 20 * std::sin(angle), 1.1) << r;
  }
}

/// Computes rotation `r` of a crop step by step in double precision, as the description of
/// Rotations says.
std::vector<double> described_patch(const Bytes& crop, int r) {
  const double angle = r * 18 * std::numbers::pi / 180, c = std::cos(angle), s = std::sin(angle);
  const auto pixel = [&](int x, int y) -> int {
    const bool inside = x >= 0 && y >= 0 && x < kCropSide && y < kCropSide;
    return inside ? crop[static_cast<size_t>(y * kCropSide + x)] : 0;
  };
  std::vector<double> patch(kPatchPixels);
  for (int y = 0; y < kCropSide; ++y) {
    for (int x = 0; x < kCropSide; ++x) {
      const double u = 159.5 + c * (x - 159.5) - s * (y - 159.5);
      const double v = 159.5 + s * (x - 159.5) + c * (y - 159.5);
      const int x0 = static_cast<int>(std::floor(u)), y0 = static_cast<int>(std::floor(v));
      const double a = u - x0, b = v - y0;
      const double value = (1 - b) * ((1 - a) * pixel(x0, y0) + a * pixel(x0 + 1, y0)) +
                           b * ((1 - a) * pixel(x0, y0 + 1) + a * pixel(x0 + 1, y0 + 1));
      patch[static_cast<size_t>(y / 5 * kPatchSide + x / 5)] += value / 25;
    }
  }
  return patch;
}

class ChainTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder() = fs::temp_directory_path() / ("chain_test." + std::to_string(getpid()));
    fs::create_directories(folder());
    make_embryos(folder(), {10, 80, 20}, 1, 2);
  }
  static void TearDownTestSuite() { fs::remove_all(folder()); }

  static fs::path& folder() {
    static fs::path folder;
    return folder;
  }
};

TEST_F(ChainTest, GivesWhatItsDescriptionSays) {
  const Frame frame = list_frames(folder())[25];
  const LabelledImages set = prepare_frames({frame}, 1);
  ASSERT_EQ(set.images.count, kRotations);
  PngReader reader({kFrameSide, kFrameSide});
  const auto pixels = reader.read(frame.file);
  Bytes crop;
  for (size_t y = 80; y < 400; ++y) {
    const auto row = pixels.subspan(y * kFrameSide + 80, 320);
    crop.insert(crop.end(), row.begin(), row.end());
  }
  const ToneTable tones = shadow_tones(crop);
  for (uint8_t& p : crop) p = tones[p];
  for (int r = 0; r < kRotations; ++r) {
    const std::vector<double> expected = described_patch(crop, r);
    const uint8_t* patch = set.images.pixels.data() + r * kPatchPixels;
    for (size_t i = 0; i < kPatchPixels; ++i) {
      ASSERT_NEAR(patch[i], expected[i], 0.5001) << "rotation " << r << ", pixel " << i;
    }
  }
}

TEST_F(ChainTest, IsTheSameForAnyNumberOfThreads) {
  const FrameParts frames = balance_and_split(list_frames(folder()), 1);
  const EmbryoParts one = prepare_parts(frames, 1), five = prepare_parts(frames, 5);
  EXPECT_EQ(one.training.images.pixels, five.training.images.pixels);
  EXPECT_EQ(one.test.images.pixels, five.test.images.pixels);
  EXPECT_EQ(one.training.labels, five.training.labels);
}

TEST_F(ChainTest, PutsEveryFrameInItsPlace) {
  std::vector<Frame> frames = list_frames(folder());
  frames.resize(19);  // a full group and a part of one
  const LabelledImages all = prepare_frames(frames, 2);
  EXPECT_EQ(all.images.count, 19 * kRotations);
  for (size_t i : {size_t{0}, size_t{15}, size_t{16}, size_t{18}}) {
    const LabelledImages alone = prepare_frames({frames[i]}, 1);
    for (size_t r = 0; r < kRotations; ++r) {
      const auto place =
          all.images.pixels.begin() + static_cast<int64_t>((r * 19 + i) * kPatchPixels);
      EXPECT_TRUE(std::equal(place, place + kPatchPixels,
                             alone.images.pixels.begin() + static_cast<int64_t>(r * kPatchPixels)));
      EXPECT_EQ(all.labels[r * 19 + i], frames[i].cells - 1);
    }
  }
}

TEST_F(ChainTest, ReadsThePatchesItWrote) {
  const EmbryoParts parts = prepare_parts(balance_and_split(list_frames(folder()), 1, 2), 2);
  const fs::path out = folder() / "patches";
  fs::create_directories(out);
  EXPECT_FALSE(holds_prepared(out));
  write_prepared(out, parts);
  EXPECT_TRUE(holds_prepared(out));
  const EmbryoParts back = read_prepared(out);
  EXPECT_EQ(back.training.images.pixels, parts.training.images.pixels);
  EXPECT_EQ(back.test.labels, parts.test.labels);
  std::ofstream(out / "t10k-labels-idx1-ubyte", std::ios::binary)
      << std::string("\0\0\x08\x01\0\0\0\x01\x04", 9);
  try {
    read_prepared(out);
    FAIL() << "accepted";
  } catch (const FileError& error) {
    EXPECT_EQ(error.what(),
              (out / "t10k-labels-idx1-ubyte").string() + ": byte 8: label 4, expected 0 to 3");
  }
}

TEST_F(ChainTest, NamesTheFirstDamagedFrameOnAnyNumberOfThreads) {
  std::vector<Frame> frames = list_frames(folder());
  const fs::path cut = folder() / "cut";
  fs::copy_file(frames[0].file, cut);
  fs::resize_file(cut, 5000);
  frames[70].file = folder() / "none";
  frames[40].file = cut;
  for (int threads : {1, 3}) {
    try {
      prepare_frames(frames, threads);
      FAIL() << "accepted";
    } catch (const FileError& error) {
      EXPECT_TRUE(
          std::string(error.what()).starts_with(cut.string() + ": byte 5000: the file ends"))
          << error.what();
    }
  }
}

Bytes content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_F(ChainTest, DrawsTheSameFilesOnAnyNumberOfThreads) {
  const fs::path again = folder() / "again";
  fs::create_directories(again);
  make_embryos(again, {10, 80, 20}, 1, 1);
  EXPECT_EQ(content(again / "labels.csv"), content(folder() / "labels.csv"));
  for (const Frame& frame : list_frames(folder())) {
    EXPECT_EQ(content(again / frame.file.filename()), content(frame.file)) << frame.file;
  }
}

TEST(Drawing, FramesOfOneEmbryoLookAlikeAndThoseOfAnotherDoNot) {
  const auto draw = [](int embryo, int frame) {
    Bytes pixels(kFramePixels);
    EmbryoDrawing(1, embryo).draw(frame, 2, std::span<uint8_t, kFramePixels>(pixels));
    return pixels;
  };
  const auto distance = [](const Bytes& a, const Bytes& b) {
    double sum = 0;
    for (size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]);
    return sum / static_cast<double>(a.size());
  };
  const Bytes one = draw(3, 10), next = draw(3, 11), other = draw(4, 10);
  EXPECT_EQ(one, draw(3, 10));
  EXPECT_GT(distance(one, next), 0);
  EXPECT_LT(2 * distance(one, next), distance(one, other));
}

TEST_F(ChainTest, KeepsAsManyPatchesAsTheSetWasMadeFor) {
  for (const PatchCounts counts : {PatchCounts{64, 16}, PatchCounts{130, 33}}) {
    const fs::path made = folder() / std::to_string(counts.training);
    fs::create_directories(made);
    make_embryo_patches(made, counts, 1, 2);
    EXPECT_EQ(read_patch_counts(made), counts);
    FrameParts frames = balance_and_split(list_frames(made), 1);
    frames.patches = read_patch_counts(made);
    const EmbryoParts parts = prepare_parts(frames, 2);
    EXPECT_EQ(parts.training.images.count, counts.training);
    EXPECT_EQ(parts.test.images.count, counts.test);
    for (uint8_t stage = 0; stage < kCellClasses; ++stage) {
      const auto count = [&](const auto& labels) {
        return std::count(labels.begin(), labels.end(), stage);
      };
      EXPECT_NEAR(count(parts.training.labels), counts.training / 4.0, 1);
      EXPECT_NEAR(count(parts.test.labels), counts.test / 4.0, 1);
    }
  }
}

TEST(Drawing, SharesFramesAmongEmbryosAndStages) {
  const EmbryoSetSize paper;
  StageLengths sum{};
  for (int embryo = 0; embryo < paper.embryos; ++embryo) {
    const StageLengths lengths = stage_lengths(paper, 1, embryo);
    for (size_t i = 0; i < sum.size(); ++i) {
      EXPECT_GT(lengths[i], 0);
      sum[i] += lengths[i];
    }
  }
  EXPECT_EQ(sum[2], 766);
  EXPECT_EQ(sum[0] + sum[1] + sum[2] + sum[3], 34133);
  for (size_t stage : {0u, 1u, 3u}) EXPECT_GT(sum[stage], 5000);
}

}  // namespace
}  // namespace lapcast::workloads

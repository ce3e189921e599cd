#include "embryo/prepare.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "common/parallel.h"
#include "data/png.h"

namespace lapcast::workloads {
namespace {

namespace fs = std::filesystem;

constexpr int kMargin = (kFrameSide - kCropSide) / 2;
constexpr int kNeededSide = kMargin + kCropSide;  // pixels of a frame, from its upper left corner

/// Holds the memory that one thread needs for a group of frames.
class Preparer {
 public:
  explicit Preparer(const Rotations& rotations) : rotations_(rotations) {}

  /// Prepares at most kImagesAtOnce frames. The unused places of a smaller group are rotated in
  /// vain.
  const std::array<Patches, kImagesAtOnce>& prepare(std::span<const Frame> frames) {
    for (size_t i = 0; i < frames.size(); ++i) add_crop(reader_.read(frames[i].file), i);
    rotations_.turn(crops_, patches_);
    return patches_;
  }

 private:
  void add_crop(std::span<const uint8_t> pixels, size_t place) {
    for (size_t y = 0; y < kCropSide; ++y) {
      const auto row = pixels.subspan((y + kMargin) * kNeededSide + kMargin, kCropSide);
      std::copy(row.begin(), row.end(), crop_.begin() + static_cast<int64_t>(y * kCropSide));
    }
    const ToneTable tones = shadow_tones(crop_);
    uint8_t* to = crops_.data() + place;
    for (size_t i = 0; i < kCropPixels; ++i) to[i * kImagesAtOnce] = tones[crop_[i]];
  }

  const Rotations& rotations_;
  PngReader reader_{{kFrameSide, kFrameSide}, {kNeededSide, kNeededSide}};
  std::vector<uint8_t> crop_ = std::vector<uint8_t>(kCropPixels);
  CropGroup crops_ = CropGroup(size_t{kCropPixels} * kImagesAtOnce);
  std::array<Patches, kImagesAtOnce> patches_;
};

/// Stores the patches of frame `place`, each in its rotation's part of the set.
void store(const Patches& patches, size_t place, LabelledImages& set) {
  const size_t frames = set.labels.size() / kRotations;
  for (size_t r = 0; r < kRotations; ++r) {
    std::copy_n(patches.data() + r * kPatchPixels, kPatchPixels,
                set.images.pixels.data() + (r * frames + place) * kPatchPixels);
  }
}

LabelledImages empty_set(const std::vector<Frame>& frames) {
  const size_t count = frames.size() * kRotations;
  LabelledImages set{{static_cast<int64_t>(count), kPatchSide, kPatchSide, {}}, {}};
  set.images.pixels.resize(count * kPatchPixels);
  for (int r = 0; r < kRotations; ++r) {
    for (const Frame& frame : frames) set.labels.push_back(static_cast<uint8_t>(frame.cells - 1));
  }
  return set;
}

fs::path part_file(const fs::path& folder, bool training, const char* rest) {
  return folder / ((training ? "train-" : "t10k-") + std::string(rest));
}

LabelledImages read_part(const fs::path& folder, bool training) {
  const fs::path images_file = part_file(folder, training, "images-idx3-ubyte");
  const fs::path labels_file = part_file(folder, training, "labels-idx1-ubyte");
  LabelledImages set{read_idx_images(images_file), read_idx_labels(labels_file, kCellClasses)};
  if (set.images.rows != kPatchSide || set.images.columns != kPatchSide) {
    throw FileError(images_file.string() + ": byte 8: images of " +
                    std::to_string(set.images.rows) + "x" + std::to_string(set.images.columns) +
                    ", expected 64x64");
  }
  if (set.images.count != static_cast<int64_t>(set.labels.size())) {
    throw FileError(labels_file.string() + ": byte 4: " + std::to_string(set.labels.size()) +
                    " labels for the " + std::to_string(set.images.count) + " images of " +
                    images_file.filename().string());
  }
  return set;
}

}  // namespace

LabelledImages prepare_frames(const std::vector<Frame>& frames, int threads) {
  static const Rotations rotations;
  LabelledImages set = empty_set(frames);
  const size_t groups = (frames.size() + kImagesAtOnce - 1) / kImagesAtOnce;
  for_each_in_parallel(groups, threads, [&] {
    return [&, preparer = Preparer(rotations)](size_t g) mutable {
      const size_t first = g * kImagesAtOnce;
      const size_t count = std::min<size_t>(kImagesAtOnce, frames.size() - first);
      const auto& patches = preparer.prepare(std::span(frames).subspan(first, count));
      for (size_t i = 0; i < count; ++i) store(patches[i], first + i, set);
    };
  });
  return set;
}

EmbryoParts prepare_parts(const FrameParts& parts, int threads) {
  EmbryoParts prepared{prepare_frames(parts.training, threads),
                       prepare_frames(parts.test, threads)};
  prepared.training.keep_first(parts.patches.training);
  prepared.test.keep_first(parts.patches.test);
  return prepared;
}

void write_prepared(const fs::path& folder, const EmbryoParts& parts) {
  write_mnist(folder, MnistPart::kTraining, parts.training, false);
  write_mnist(folder, MnistPart::kTest, parts.test, false);
}

bool holds_prepared(const fs::path& folder) {
  return fs::exists(part_file(folder, true, "images-idx3-ubyte"));
}

EmbryoParts read_prepared(const fs::path& folder) {
  return {read_part(folder, true), read_part(folder, false)};
}

}  // namespace lapcast::workloads

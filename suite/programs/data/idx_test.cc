#include "data/idx.h"

#include <gtest/gtest.h>

#include <string>

#include "common/random.h"
#include "data/files_test.h"

namespace lapcast::workloads {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<uint8_t>;

class IdxTest : public FilesTest {};

/// Holds two images of 2x3, written by hand from the format's description.
const Bytes kImages = {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 2,  0,  0,
                       0, 3, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 255};
const Bytes kLabels = {0, 0, 8, 1, 0, 0, 0, 2, 7, 9};

std::string images_error(const fs::path& file) {
  try {
    read_idx_images(file);
  } catch (const FileError& error) {
    return error.what();
  }
  return "";
}

std::string labels_error(const fs::path& file) {
  try {
    read_idx_labels(file, 10);
  } catch (const FileError& error) {
    return error.what();
  }
  return "";
}

/// Returns the message without the file's name at its start.
std::string after_name(const std::string& message, const fs::path& file) {
  return message.starts_with(file.string() + ": ") ? message.substr(file.string().size() + 2)
                                                   : "no file named: " + message;
}

Bytes with(Bytes bytes, size_t at, uint8_t value) {
  bytes[at] = value;
  return bytes;
}

TEST_F(IdxTest, ReadsImagesAndLabels) {
  const IdxImages images = read_idx_images(write("images", kImages));
  EXPECT_EQ(images.count, 2);
  EXPECT_EQ(images.rows, 2);
  EXPECT_EQ(images.columns, 3);
  EXPECT_EQ(images.pixels, (Bytes{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 255}));
  EXPECT_EQ(read_idx_labels(write("labels", kLabels), 10), (Bytes{7, 9}));
}

TEST_F(IdxTest, WritesTheBytesOfTheFormat) {
  write_idx_images(folder_ / "i", {2, 2, 3, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 255}});
  write_idx_labels(folder_ / "l", {7, 9});
  EXPECT_EQ(read(folder_ / "i"), kImages);
  EXPECT_EQ(read(folder_ / "l"), kLabels);
}

TEST_F(IdxTest, ReadsWhatItPacked) {
  if (!knows_packed_files()) GTEST_SKIP() << "built without zlib";
  write_idx_images(folder_ / "i.gz", read_idx_images(write("i", kImages)));
  EXPECT_EQ(read(folder_ / "i.gz")[0], 0x1f);
  EXPECT_EQ(read_idx_images(folder_ / "i.gz").pixels, read_idx_images(folder_ / "i").pixels);
}

TEST_F(IdxTest, NamesFileOffsetAndFault) {
  const auto images = [this](const Bytes& bytes) {
    const fs::path file = write("images", bytes);
    return after_name(images_error(file), file);
  };
  EXPECT_EQ(images(with(kImages, 3, 1)),
            "byte 0: magic number 0x00000801, expected 0x00000803 (images)");
  EXPECT_EQ(images({0, 0, 8}), "byte 0: the file ends within the magic number");
  EXPECT_EQ(images({kImages.begin(), kImages.begin() + 14}),
            "byte 12: the file ends within the number of columns");
  EXPECT_EQ(images(with(kImages, 7, 0)), "byte 4: a dimension is 0");
  EXPECT_EQ(images(with(with(kImages, 4, 255), 8, 255)), "byte 4: the dimensions are too large");
  EXPECT_EQ(images({kImages.begin(), kImages.end() - 5}),
            "byte 23: the file ends, 5 of 12 bytes are missing");
  Bytes longer = kImages;
  longer.push_back(0);
  EXPECT_EQ(images(longer), "byte 28: bytes follow where the file should end");
  // The header promises 2^31 images. The reader refuses them by the file's size, without
  // allocating.
  EXPECT_EQ(images(with(with(kImages, 4, 0x20), 11, 1)),
            "byte 28: the file ends, 1610612730 of 1610612742 bytes are missing");
}

TEST_F(IdxTest, RefusesLabelsOutOfRange) {
  const fs::path file = write("labels", with(kLabels, 9, 10));
  EXPECT_EQ(after_name(labels_error(file), file), "byte 9: label 10, expected 0 to 9");
}

TEST_F(IdxTest, RefusesAMissingFileAndAFolder) {
  EXPECT_EQ(images_error(folder_ / "none"),
            (folder_ / "none").string() + ": No such file or directory");
  EXPECT_EQ(images_error(folder_), folder_.string() + ": is a folder");
}

TEST_F(IdxTest, RefusesPackedFilesWithoutZlib) {
  if (knows_packed_files()) GTEST_SKIP() << "built with zlib";
  write("l.gz", kLabels);
  EXPECT_THROW(read_idx_labels(folder_ / "l.gz", 10), FileError);
  EXPECT_THROW(write_idx_labels(folder_ / "m.gz", {1}), FileError);
}

TEST_F(IdxTest, RefusesDamagedGzip) {
  if (!knows_packed_files()) GTEST_SKIP() << "built without zlib";
  write_idx_labels(folder_ / "l.gz", Bytes(5000, 3));
  const Bytes packed = read(folder_ / "l.gz");
  const fs::path cut = write("cut.gz", {packed.begin(), packed.end() - 6});
  EXPECT_EQ(after_name(labels_error(cut), cut),
            "after byte 0: cannot be read: the packed data end too early");
  const fs::path flipped = write("flipped.gz", with(packed, packed.size() - 6, 77));
  EXPECT_NE(labels_error(flipped), "");
}

TEST_F(IdxTest, ReadsAFolderAndPrefersPlainFiles) {
  if (!knows_packed_files()) GTEST_SKIP() << "built without zlib";
  LabelledImages set{read_idx_images(write("i", kImages)), {7, 9}};
  write_mnist(folder_, MnistPart::kTest, set, true);
  EXPECT_TRUE(fs::exists(folder_ / "t10k-images-idx3-ubyte.gz"));
  EXPECT_EQ(read_mnist(folder_, MnistPart::kTest).labels, (Bytes{7, 9}));
  set.labels = {1, 2};
  write_mnist(folder_, MnistPart::kTest, set, false);
  EXPECT_EQ(read_mnist(folder_, MnistPart::kTest).labels, (Bytes{1, 2}));
}

TEST_F(IdxTest, RefusesImagesAndLabelsThatDiffer) {
  write("train-images-idx3-ubyte", kImages);
  write("train-labels-idx1-ubyte", {0, 0, 8, 1, 0, 0, 0, 3, 7, 9, 1});
  try {
    read_mnist(folder_, MnistPart::kTraining);
    FAIL() << "accepted";
  } catch (const FileError& error) {
    EXPECT_EQ(error.what(), (folder_ / "train-labels-idx1-ubyte").string() +
                                ": byte 4: 3 labels for the 2 images of train-images-idx3-ubyte");
  }
}

TEST_F(IdxTest, KeepsTheFirst) {
  LabelledImages set{read_idx_images(write("i", kImages)), {7, 9}};
  set.keep_first(5);
  EXPECT_EQ(set.images.count, 2);
  set.keep_first(1);
  EXPECT_EQ(set.images.count, 1);
  EXPECT_EQ(set.images.pixels, (Bytes{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(set.labels, Bytes{7});
}

/// Checks that cut and changed files, plain and packed, are either read in full or refused in one
/// line.
TEST_F(IdxTest, SurvivesCutAndChangedFiles) {
  if (!knows_packed_files()) GTEST_SKIP() << "built without zlib";
  write_idx_images(folder_ / "i.gz", read_idx_images(write("i", kImages)));
  const Bytes seeds[] = {kImages, kLabels, read(folder_ / "i.gz")};
  Random random(42);
  for (int round = 0; round < 2000; ++round) {
    Bytes bytes = seeds[random.below(3)];
    for (uint32_t changes = random.below(4); changes > 0; --changes) {
      bytes[random.below(static_cast<uint32_t>(bytes.size()))] =
          static_cast<uint8_t>(random.bits());
    }
    if (random.chance(0.5f)) bytes.resize(random.below(static_cast<uint32_t>(bytes.size())));
    const fs::path file = write("mutant", bytes);
    for (const std::string& message : {images_error(file), labels_error(file)}) {
      EXPECT_EQ(message.find('\n'), std::string::npos);
      EXPECT_TRUE(message.empty() || message.starts_with(file.string() + ": ")) << message;
    }
  }
}

}  // namespace
}  // namespace lapcast::workloads

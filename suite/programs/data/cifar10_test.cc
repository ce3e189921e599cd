#include "data/cifar10.h"

#include <gtest/gtest.h>

#include <string>

#include "common/random.h"
#include "data/files_test.h"

namespace lapcast::workloads {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<uint8_t>;

class Cifar10Test : public FilesTest {
 protected:
  /// Returns the error message for a file of these bytes.
  std::string error_of(const Bytes& bytes) {
    const fs::path file = write("batch.bin", bytes);
    try {
      read_cifar10_file(file);
    } catch (const FileError& error) {
      const std::string text = error.what();
      EXPECT_TRUE(text.starts_with(file.string() + ": ")) << text;
      return text.substr(file.string().size() + 2);
    }
    return "";
  }

  std::string error_of_folder(Cifar10Part part) {
    try {
      read_cifar10(folder_, part);
    } catch (const FileError& error) {
      return error.what();
    }
    return "";
  }
};

/// Returns records whose neighbouring pixels all differ; the labels are 0, 1, 2, ...
Bytes records(int64_t count) {
  Bytes bytes;
  for (int64_t i = 0; i < count; ++i) {
    bytes.push_back(static_cast<uint8_t>(i % 10));
    for (int64_t p = 0; p < 3072; ++p) bytes.push_back(static_cast<uint8_t>(i + p % 251));
  }
  return bytes;
}

Cifar10Images images_of(int64_t count) {
  Cifar10Images images;
  for (int64_t i = 0; i < count; ++i) {
    images.labels.push_back(static_cast<uint8_t>(i % 10));
    images.pixels.insert(images.pixels.end(), 3072, static_cast<uint8_t>(i));
  }
  return images;
}

TEST_F(Cifar10Test, ReadsLabelThenRedGreenBlue) {
  Bytes bytes(2 * 3073, 0);
  bytes[0] = 7;
  bytes[1] = 200;              // red, row 0, column 0
  bytes[1 + 1024 + 33] = 150;  // green, row 1, column 1
  bytes[3073] = 9;
  bytes[3073 + 1 + 3071] = 100;  // blue, last row, last column, of the second
  const Cifar10Images images = read_cifar10_file(write("f", bytes));
  EXPECT_EQ(images.labels, (Bytes{7, 9}));
  ASSERT_EQ(images.pixels.size(), 2u * 3072);
  EXPECT_EQ(images.pixels[0], 200);
  EXPECT_EQ(images.pixels[1024 + 33], 150);
  EXPECT_EQ(images.pixels[2 * 3072 - 1], 100);
}

TEST_F(Cifar10Test, WritesTheBytesOfTheFormat) {
  const Bytes bytes = records(3);
  write_cifar10(folder_, Cifar10Part::kTest, read_cifar10_file(write("f", bytes)));
  EXPECT_EQ(read(folder_ / "test_batch.bin"), bytes);
}

TEST_F(Cifar10Test, SharesTrainingImagesOutOverFiveFiles) {
  const Cifar10Images images = images_of(13);
  write_cifar10(folder_, Cifar10Part::kTraining, images);
  EXPECT_EQ(fs::file_size(folder_ / "data_batch_1.bin"), 2u * 3073);
  EXPECT_EQ(fs::file_size(folder_ / "data_batch_5.bin"), 3u * 3073);
  const Cifar10Images all = read_cifar10(folder_, Cifar10Part::kTraining);
  EXPECT_EQ(all.labels, images.labels);
  EXPECT_EQ(all.pixels, images.pixels);
}

TEST_F(Cifar10Test, FindsTheFolderAsItIsUnpacked) {
  fs::create_directories(folder_ / "cifar-10-batches-bin");
  write_cifar10(folder_ / "cifar-10-batches-bin", Cifar10Part::kTest, images_of(2));
  EXPECT_EQ(read_cifar10(folder_, Cifar10Part::kTest).count(), 2);
}

TEST_F(Cifar10Test, NamesOffsetAndFault) {
  EXPECT_EQ(error_of({}), "byte 0: the file is empty");
  Bytes bytes = records(3);
  bytes.pop_back();
  EXPECT_EQ(error_of(bytes),
            "byte 9218: the file ends within record 3, 1 of 3073 bytes are missing");
  bytes.resize(6147);
  EXPECT_EQ(error_of(bytes),
            "byte 6147: the file ends within record 3, 3072 of 3073 bytes are missing");
  bytes = records(3);
  bytes[6146] = 10;
  EXPECT_EQ(error_of(bytes), "byte 6146: label 10, expected 0 to 9");
  Bytes whole(10000 * 3073, 0);
  EXPECT_EQ(error_of(whole), "");
  whole.push_back(0);
  EXPECT_EQ(error_of(whole),
            "byte 30730000: bytes follow where the file should end, after 10000 records");
}

TEST_F(Cifar10Test, RefusesAMissingFileAndAFolder) {
  EXPECT_EQ(error_of_folder(Cifar10Part::kTraining),
            (folder_ / "data_batch_1.bin").string() + ": No such file or directory");
  fs::create_directories(folder_ / "test_batch.bin");
  EXPECT_EQ(error_of_folder(Cifar10Part::kTest),
            (folder_ / "test_batch.bin").string() + ": is a folder");
}

/// Reads a copy that was cut between two records.
TEST_F(Cifar10Test, RefusesATrainingFileThatIsShorterThanTheFirst) {
  write_cifar10(folder_, Cifar10Part::kTraining, images_of(20));
  fs::resize_file(folder_ / "data_batch_4.bin", 2 * 3073);
  EXPECT_EQ(error_of_folder(Cifar10Part::kTraining),
            (folder_ / "data_batch_4.bin").string() +
                ": byte 6146: the file ends after 2 records, data_batch_1.bin after 4");
}

TEST_F(Cifar10Test, RefusesToWriteWhatDoesNotFit) {
  EXPECT_THROW(write_cifar10(folder_, Cifar10Part::kTraining, images_of(4)), FileError);
  EXPECT_THROW(write_cifar10(folder_, Cifar10Part::kTest, images_of(10001)), FileError);
}

TEST(Cifar10Images, KeepsTheFirst) {
  Cifar10Images images = images_of(4);
  images.keep_first(0);
  EXPECT_EQ(images.count(), 4);
  images.keep_first(1);
  EXPECT_EQ(images.labels, Bytes{0});
  EXPECT_EQ(images.pixels, Bytes(3072, 0));
}

bool is_whole(const Bytes& bytes) {
  if (bytes.empty() || bytes.size() % 3073 != 0) return false;
  for (size_t at = 0; at < bytes.size(); at += 3073) {
    if (bytes[at] > 9) return false;
  }
  return true;
}

/// Checks that cut and changed files are either read in full or refused in one line with the file's
/// name.
TEST_F(Cifar10Test, SurvivesCutAndChangedFiles) {
  const Bytes seed = records(3);
  Random random(42);
  for (int round = 0; round < 300; ++round) {
    Bytes bytes = seed;
    for (uint32_t changes = random.below(4); changes > 0; --changes) {
      bytes[random.below(3) * 3073 + random.below(2)] = static_cast<uint8_t>(random.bits());
    }
    if (random.chance(0.5f)) bytes.resize(random.below(static_cast<uint32_t>(bytes.size())));
    const std::string error = error_of(bytes);
    EXPECT_EQ(error.find('\n'), std::string::npos);
    EXPECT_EQ(error.empty(), is_whole(bytes)) << error;
  }
}

}  // namespace
}  // namespace lapcast::workloads

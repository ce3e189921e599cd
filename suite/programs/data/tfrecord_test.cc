#include "data/tfrecord.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>

#include "common/random.h"
#include "data/crc32c.h"
#include "data/durable_file.h"
#include "data/files_test.h"
#include "data/image_example.h"

namespace lapcast::workloads {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<uint8_t>;

class TfRecordTest : public FilesTest {};

Bytes random_bytes(size_t size, uint64_t seed) {
  Random random(seed);
  Bytes bytes(size);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random.bits());
  return bytes;
}

Bytes bytes_of(std::string_view text) {
  return {text.begin(), text.end()};
}

/// Computes the checksum bit by bit from its definition.
uint32_t slow_crc32c(const Bytes& bytes) {
  uint32_t crc = 0xffffffff;
  for (const uint8_t byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f63b78u : 0);
  }
  return ~crc;
}

/// Takes the vectors of RFC 3720, appendix B.4, and the check value of "123456789".
TEST(Crc32c, HasTheKnownValues) {
  Bytes rising(32);
  std::iota(rising.begin(), rising.end(), uint8_t{0});
  const Bytes falling(rising.rbegin(), rising.rend());
  for (const auto way : {crc32c, crc32c_by_table}) {
    EXPECT_EQ(way(Bytes(32, 0), 0), 0x8a9136aau);
    EXPECT_EQ(way(Bytes(32, 0xff), 0), 0x62a8ab43u);
    EXPECT_EQ(way(rising, 0), 0x46dd794eu);
    EXPECT_EQ(way(falling, 0), 0x113fdb5cu);
    EXPECT_EQ(way(bytes_of("123456789"), 0), 0xe3069283u);
    EXPECT_EQ(way({}, 0), 0u);
  }
}

TEST(Crc32c, IsTheSameInEveryWayForEveryLength) {
  const Bytes all = random_bytes(20000, 1);
  for (size_t size = 0; size < all.size(); size += size < 900 ? 1 : 997) {
    const Bytes bytes(all.begin() + size % 8, all.begin() + static_cast<int64_t>(size % 8 + size));
    const uint32_t expected = slow_crc32c(bytes);
    EXPECT_EQ(crc32c(bytes), expected) << size;
    EXPECT_EQ(crc32c_by_table(bytes), expected) << size;
    const auto [head, tail] = std::pair(std::span(bytes).first(size / 3), size - size / 3);
    EXPECT_EQ(crc32c(std::span(bytes).last(tail), crc32c(head)), expected) << size;
  }
}

/// Compares with the record that TensorFlow's documentation of the format leads to: data "abc".
TEST_F(TfRecordTest, WritesTheFormatByteForByte) {
  Bytes file;
  append_tfrecord(file, bytes_of("abc"));
  ASSERT_EQ(file.size(), 3 + kTfRecordOverhead);
  const Bytes length = {3, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_TRUE(std::equal(length.begin(), length.end(), file.begin()));
  const uint32_t crc = slow_crc32c(length);
  const uint32_t masked = ((crc >> 15) | (crc << 17)) + 0xa282ead8;
  for (int i = 0; i < 4; ++i) EXPECT_EQ(file[8 + i], static_cast<uint8_t>(masked >> (8 * i)));
  EXPECT_EQ(file[12], 'a');
}

TEST_F(TfRecordTest, ReadsWhatItWrote) {
  Bytes file;
  const std::vector<size_t> sizes = {0x8b1f, 0, 1, 3000000, 17};  // the first as in a gzip file
  for (const size_t size : sizes) append_tfrecord(file, random_bytes(size, size));
  TfRecordReader reader(write("a.tfrecord", file));
  for (const size_t size : sizes) {
    const auto record = reader.next();
    ASSERT_TRUE(record);
    EXPECT_EQ(Bytes(record->begin(), record->end()), random_bytes(size, size));
  }
  EXPECT_FALSE(reader.next());
  EXPECT_EQ(reader.count(), 5u);
}

/// Returns the error of reading the whole file, without the file's name.
template <typename Reader>
std::string read_error(const fs::path& file) {
  try {
    Reader reader(file);
    while (reader.next()) {
    }
  } catch (const FileError& error) {
    return std::string(error.what()).substr(file.string().size() + 2);
  }
  return "";
}

TEST_F(TfRecordTest, NamesTheByteOfAWrongChecksum) {
  Bytes file;
  append_tfrecord(file, bytes_of("first"));   // bytes 0 to 20
  append_tfrecord(file, bytes_of("second"));  // length at 21, data at 33, checksum at 39
  const auto error_of = [&](size_t at) {
    Bytes damaged = file;
    damaged[at] ^= 4;
    return read_error<TfRecordReader>(write("bad.tfrecord", damaged));
  };
  EXPECT_EQ(error_of(2), "byte 8: wrong checksum of a record's length (record 1)");
  EXPECT_EQ(error_of(30), "byte 29: wrong checksum of a record's length (record 2)");
  EXPECT_EQ(error_of(13), "byte 17: wrong checksum of a record's data (record 1)");
  EXPECT_EQ(error_of(41), "byte 39: wrong checksum of a record's data (record 2)");
}

TEST_F(TfRecordTest, RefusesAFileThatEndsTooEarly) {
  Bytes file;
  append_tfrecord(file, bytes_of("second"));
  for (size_t size = 1; size < file.size(); ++size) {
    const Bytes cut(file.begin(), file.begin() + static_cast<int64_t>(size));
    EXPECT_NE(read_error<TfRecordReader>(write("cut.tfrecord", cut)).find("the file ends"),
              std::string::npos)
        << size;
  }
  EXPECT_EQ(read_error<TfRecordReader>(write("empty.tfrecord", {})), "");
  EXPECT_NE(read_error<TfRecordReader>(folder_ / "none"), "");
}

TEST_F(TfRecordTest, RefusesARecordOfManyGigabytes) {
  Bytes head = {0, 0, 0, 0, 0, 1, 0, 0};  // 2^40
  const uint32_t crc = masked_crc(slow_crc32c(head));
  for (int i = 0; i < 4; ++i) head.push_back(static_cast<uint8_t>(crc >> (8 * i)));
  EXPECT_EQ(read_error<TfRecordReader>(write("huge.tfrecord", head)),
            "byte 0: a record of 1099511627776 bytes; at most 1073741824 are read (record 1)");
}

Bytes file_of(const Bytes& record) {
  Bytes file;
  append_tfrecord(file, record);
  return file;
}

TEST_F(TfRecordTest, ReadsTheImagesItWrote) {
  ImageExample image{bytes_of("\xff\xd8 a JPEG"), "jpeg", "10_left.jpeg", 4, 256, 200};
  Bytes file = file_of(example_bytes(image));
  image.label.reset();
  append_tfrecord(file, example_bytes(image));
  ImageExampleReader reader(write("images.tfrecord", file));
  const auto first = reader.next(), second = reader.next();
  ASSERT_TRUE(first && second && !reader.next());
  EXPECT_EQ(first->encoded, image.encoded);
  EXPECT_EQ(first->filename, "10_left.jpeg");
  EXPECT_EQ(first->format, "jpeg");
  EXPECT_EQ(first->label, 4);
  EXPECT_EQ(first->height, 256);
  EXPECT_EQ(first->width, 200);
  EXPECT_FALSE(second->label);
}

/// Holds {"label": -1, "image/encoded": "x"}, written by hand after the protocol buffers of
/// TensorFlow, with the label not packed and a field that nobody knows.
TEST_F(TfRecordTest, ReadsAMessageWrittenByHand) {
  const Bytes label = {0x0a, 0x18, 0x0a, 0x05, 'l',  'a',  'b',  'e',  'l',
                       0x12, 0x0f, 0x1a, 0x0d, 0x08, 0xff, 0xff, 0xff, 0xff,
                       0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0x10, 0x07};
  const Bytes encoded = {0x0a, 0x16, 0x0a, 0x0d, 'i', 'm',  'a',  'g',  'e',  '/',  'e',  'n',
                         'c',  'o',  'd',  'e',  'd', 0x12, 0x05, 0x0a, 0x03, 0x0a, 0x01, 'x'};
  Bytes example = {0x0a, static_cast<uint8_t>(label.size() + encoded.size())};
  example.insert(example.end(), label.begin(), label.end());
  example.insert(example.end(), encoded.begin(), encoded.end());
  const auto image = ImageExampleReader(write("hand.tfrecord", file_of(example))).next();
  ASSERT_TRUE(image);
  EXPECT_EQ(image->label, -1);
  EXPECT_EQ(image->encoded, bytes_of("x"));
}

TEST_F(TfRecordTest, RefusesARecordThatIsNoExample) {
  const auto error_of = [&](const Bytes& record) {
    return read_error<ImageExampleReader>(write("odd.tfrecord", file_of(record)));
  };
  EXPECT_EQ(error_of({}), "byte 12: a record without image/encoded (record 1)");
  EXPECT_EQ(error_of({0x0a, 0x05, 0x0a}), "byte 12: a field is longer than its message (record 1)");
  EXPECT_EQ(error_of({0x08, 0xff}), "byte 12: a number does not end (record 1)");
  EXPECT_EQ(error_of({0x0f}), "byte 12: a field has an unknown type (record 1)");
  const Bytes label_of_bytes = {0x0a, 0x10, 0x0a, 0x0e, 0x0a, 0x05, 'l',  'a',  'b',
                                'e',  'l',  0x12, 0x05, 0x0a, 0x03, 0x0a, 0x01, 'x'};
  EXPECT_EQ(error_of(label_of_bytes), "byte 14: label is not a list of int64 (record 1)");
}

TEST_F(TfRecordTest, ListsTheFilesOfAFolderByName) {
  for (const char* name : {"00001", ".state"}) fs::create_directories(folder_ / name);
  for (const char* name :
       {"b.tfrecord", "a.tfrec", "c.txt", "00001/z.tfrecord", ".state/y.tfrecord", ".x.tfrecord"}) {
    write_text(name);
  }
  EXPECT_EQ(tfrecord_files(folder_), (std::vector{folder_ / "00001/z.tfrecord", folder_ / "a.tfrec",
                                                  folder_ / "b.tfrecord"}));
  EXPECT_THROW(tfrecord_files(folder_ / "none"), FileError);
}

TEST_F(TfRecordTest, ADurableFileIsWholeOrAbsent) {
  const fs::path file = folder_ / "shard";
  {
    DurableFile cut_off(file);
    cut_off.append(bytes_of("half"));
  }
  EXPECT_TRUE(fs::is_empty(folder_));
  DurableFile whole(file);
  whole.append(bytes_of("all of "));
  whole.append(bytes_of("it"));
  EXPECT_FALSE(fs::exists(file));
  whole.finish();
  EXPECT_EQ(read_text(file), "all of it");
  EXPECT_FALSE(fs::exists(folder_ / "shard.part"));
  EXPECT_EQ(whole.size(), 9u);
}

TEST_F(TfRecordTest, AFullDiskIsNamedWithTheByte) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
  fs::create_symlink("/dev/full", folder_ / "full.part");
  DurableFile file(folder_ / "full");
  try {
    file.append(bytes_of("x"));
    FAIL() << "nothing was refused";
  } catch (const FileError& error) {
    EXPECT_NE(std::string(error.what()).find("full.part: byte 0: cannot be written: No space"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace lapcast::workloads

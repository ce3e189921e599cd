#include "data/png.h"

#include <gtest/gtest.h>

#include <string>

#include "common/random.h"
#include "data/files_test.h"
#include "data/png_filters.h"

namespace lapcast::workloads {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<uint8_t>;

class PngTest : public FilesTest {
 protected:
  fs::path write(const Bytes& bytes) { return FilesTest::write("image.png", bytes); }

  static Bytes content(const fs::path& file) { return FilesTest::read(file); }

  static Bytes read(PngReader& reader, const fs::path& file) {
    const auto pixels = reader.read(file);
    return {pixels.begin(), pixels.end()};
  }

  /// Returns the error message for a 2x2 image, without the file's name.
  std::string error(const Bytes& bytes) {
    const fs::path file = write(bytes);
    PngReader reader({2, 2});
    try {
      reader.read(file);
    } catch (const FileError& e) {
      const std::string message = e.what(), name = file.string() + ": ";
      return message.starts_with(name) ? message.substr(name.size()) : "no name: " + message;
    }
    return "";
  }
};

const Bytes kSignature = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

Bytes number(size_t value) {
  return {static_cast<uint8_t>(value >> 24), static_cast<uint8_t>(value >> 16),
          static_cast<uint8_t>(value >> 8), static_cast<uint8_t>(value)};
}

Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Bytes chunk(const std::string& type, const Bytes& data) {
  const Bytes named = Bytes(type.begin(), type.end()) + data;
  return number(data.size()) + named + number(crc32_of(named));
}

Bytes header(size_t width, size_t height, uint8_t depth = 8, uint8_t colour = 0,
             uint8_t interlaced = 0) {
  return chunk("IHDR", number(width) + number(height) + Bytes{depth, colour, 0, 0, interlaced});
}

/// Holds the rows 10 30 and 60 100, filtered by hand: the first unchanged, the second minus the
/// first.
const Bytes kFiltered = {0, 10, 30, 2, 50, 70};
const Bytes kEnd = chunk("IEND", {});
Bytes image_of(const Bytes& filtered) {
  return kSignature + header(2, 2) + chunk("IDAT", deflate_bytes(filtered)) + kEnd;
}

TEST_F(PngTest, KnowsTheChecksumOfTheStandard) {
  // The empty IEND chunk ends with these four bytes in every PNG file.
  EXPECT_EQ(crc32_of(Bytes{'I', 'E', 'N', 'D'}), 0xae426082u);
}

TEST_F(PngTest, ReadsWhatTheFormatSays) {
  PngReader reader({2, 2});
  EXPECT_EQ(read(reader, write(image_of(kFiltered))), (Bytes{10, 30, 60, 100}));
}

TEST_F(PngTest, JoinsPixelChunksAndSkipsRemarks) {
  const Bytes packed = deflate_bytes(kFiltered);
  const Bytes first(packed.begin(), packed.begin() + 3), rest(packed.begin() + 3, packed.end());
  PngReader reader({2, 2});
  EXPECT_EQ(read(reader, write(kSignature + header(2, 2) + chunk("tEXt", {'a', 0, 'b'}) +
                               chunk("IDAT", first) + chunk("IDAT", rest) + kEnd)),
            (Bytes{10, 30, 60, 100}));
}

TEST_F(PngTest, ReadsOnlyWhatIsNeeded) {
  PngReader reader({2, 2}, {1, 2});
  EXPECT_EQ(read(reader, write(image_of(kFiltered))), (Bytes{10, 60}));
}

TEST_F(PngTest, ReadsWhatItWrote) {
  Random random(3);
  Bytes pixels(61 * 47);
  for (size_t i = 0; i < pixels.size(); ++i) {
    pixels[i] = static_cast<uint8_t>(i / 47 * 3 + random.below(1 + static_cast<uint32_t>(i) / 500));
  }
  const fs::path file = folder_ / "written.png";
  write_png(file, {61, 47}, pixels);
  PngReader reader({61, 47});
  EXPECT_EQ(read(reader, file), pixels);
  EXPECT_EQ(read(reader, file), pixels);  // the second read uses the same memory
}

/// Filters the pixel 7 with left 100, above 50 and above left 30 by the standard's formulas.
TEST(PngFilters, FilterAPixelAsTheStandardSays) {
  const Bytes above = {30, 50}, row = {100, 7};
  const auto second = [&](PngFilter filter) {
    Bytes filtered(2);
    filter_row(filter, row, above, filtered);
    return filtered[1];
  };
  EXPECT_EQ(second(kNone), 7);
  EXPECT_EQ(second(kSub), 256 + 7 - 100);
  EXPECT_EQ(second(kUp), 256 + 7 - 50);
  EXPECT_EQ(second(kAverage), 256 + 7 - 75);
  EXPECT_EQ(second(kPaeth), 256 + 7 - 100);  // 100 + 50 - 30 = 120: the left pixel is nearest
}

TEST(PngFilters, UndoEachOther) {
  Random random(5);
  Bytes above(200), row(200), filtered(200), back(200);
  for (int round = 0; round < 20; ++round) {
    for (uint8_t& b : above) b = static_cast<uint8_t>(random.bits());
    for (uint8_t& b : row) b = static_cast<uint8_t>(random.below(round < 10 ? 256 : 3));
    for (uint8_t filter = kNone; filter < kFilters; ++filter) {
      filter_row(PngFilter{filter}, row, above, filtered);
      unfilter_row(PngFilter{filter}, filtered, above, back);
      EXPECT_EQ(back, row) << int{filter};
    }
  }
}

TEST_F(PngTest, NamesFileOffsetAndFault) {
  const Bytes good = image_of(kFiltered);
  EXPECT_EQ(error({'G', 'I', 'F'}), "byte 0: not a PNG file");
  EXPECT_EQ(error(kSignature), "byte 8: the file ends before its IEND chunk");
  EXPECT_EQ(error({good.begin(), good.end() - 12}),
            "byte " + std::to_string(good.size() - 12) + ": the file ends before its IEND chunk");
  EXPECT_EQ(error({good.begin(), good.begin() + 30}),
            "byte 30: the file ends within the chunk of byte 8, 3 of its bytes are missing");
  EXPECT_EQ(error(good + Bytes{0}),
            "byte " + std::to_string(good.size()) + ": bytes follow where the file should end");
  EXPECT_EQ(error(kSignature + header(3, 2) + kEnd), "byte 16: 3x2 pixels, expected 2x2");
  EXPECT_EQ(error(kSignature + header(2, 2, 16, 2) + kEnd),
            "byte 24: 16 bits of colour type 2, expected 8 bits of grey (type 0)");
  EXPECT_EQ(error(kSignature + header(2, 2, 8, 0, 1) + kEnd),
            "byte 26: another packing or filtering, or interlaced: cannot be read here");
  EXPECT_EQ(error(kSignature + kEnd), "byte 8: the first chunk is not an IHDR of 13 bytes");
  EXPECT_EQ(error(kSignature + header(2, 2) + kEnd), "byte 45: no pixels (IDAT chunks)");
  EXPECT_EQ(error(kSignature + header(2, 2) + chunk("PLTE", {1, 2, 3}) + kEnd),
            "byte 33: a chunk that a grey image does not have");
}

TEST_F(PngTest, RefusesDamagedPixels) {
  Bytes flipped = image_of(kFiltered);
  flipped[45] ^= 1;
  EXPECT_EQ(error(flipped), "byte 33: the checksum of this chunk does not match: damaged");
  const std::string damaged = "byte 33: the packed pixels from here on are damaged, or not 2x2";
  EXPECT_EQ(error(image_of({0, 10, 30, 2, 50})), damaged);         // one too few
  EXPECT_EQ(error(image_of({0, 10, 30, 2, 50, 70, 9})), damaged);  // one too many
  EXPECT_EQ(error(kSignature + header(2, 2) + chunk("IDAT", {1, 2, 3}) + kEnd), damaged);
  EXPECT_EQ(error(image_of({0, 10, 30, 5, 50, 70})), "byte 33: row 1: no such filter: 5");
}

TEST_F(PngTest, RefusesAMissingFileAndAFolder) {
  PngReader reader({2, 2});
  EXPECT_THROW(reader.read(folder_ / "none.png"), FileError);
  EXPECT_THROW(reader.read(folder_), FileError);
  EXPECT_THROW(write_png(folder_ / "none" / "image.png", {1, 1}, Bytes{1}), FileError);
}

/// Checks that cut and changed files are either read or refused in one line with the file's name.
TEST_F(PngTest, SurvivesCutAndChangedFiles) {
  const Bytes seed = image_of(kFiltered);
  Random random(42);
  for (int round = 0; round < 1000; ++round) {
    Bytes bytes = seed;
    for (uint32_t changes = random.below(4); changes > 0; --changes) {
      bytes[random.below(static_cast<uint32_t>(bytes.size()))] =
          static_cast<uint8_t>(random.bits());
    }
    if (random.chance(0.5f)) bytes.resize(random.below(static_cast<uint32_t>(bytes.size())));
    const std::string message = error(bytes);
    EXPECT_EQ(message.find('\n'), std::string::npos);
    EXPECT_FALSE(message.starts_with("no name")) << message;
  }
}

}  // namespace
}  // namespace lapcast::workloads

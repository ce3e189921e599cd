#include "data/picture.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "data/byte_file.h"
#include "data/files_test.h"

namespace lapcast::workloads {
namespace {

class PictureFiles : public FilesTest {
 protected:
  std::string refusal(const std::filesystem::path& file) {
    try {
      read_picture(file);
    } catch (const FileError& error) {
      const std::string text = error.what();
      EXPECT_EQ(text.find('\n'), text.npos);
      EXPECT_TRUE(text.starts_with(file.string() + ": ")) << text;
      return text.substr(file.string().size() + 2);
    }
    return "";
  }

  /// Returns the parts of a JPEG file before its pixels: `precision` bits of `components` in 8 x 8
  /// pixels.
  static Bytes jpeg_header(uint8_t precision, uint8_t components) {
    Bytes bytes = {0xFF,      0xD8, 0xFF, 0xC1, 0, static_cast<uint8_t>(8 + 3 * components),
                   precision, 0,    8,    0,    8, components};
    for (uint8_t i = 1; i <= components; ++i) bytes.insert(bytes.end(), {i, 0x11, 0});
    bytes.insert(bytes.end(),
                 {0xFF, 0xDA, 0, static_cast<uint8_t>(6 + 2 * components), components});
    for (uint8_t i = 1; i <= components; ++i) bytes.insert(bytes.end(), {i, 0});
    bytes.insert(bytes.end(), {0, 63, 0});
    return bytes;
  }
};

TEST_F(PictureFiles, PpmByHand) {
  const Picture picture = read_picture(write_text("a.ppm", "P6 # two pixels\n2 1\n255\nabcdef"));
  EXPECT_EQ(picture.height, 1);
  EXPECT_EQ(picture.width, 2);
  EXPECT_EQ(std::string(picture.pixels.begin(), picture.pixels.end()), "abcdef");
  EXPECT_EQ(refusal(write_text("b.ppm", "P6 2 1 255\nabcde")),
            "the PPM file ends early: 5 of 6 bytes of pixels");
  EXPECT_EQ(refusal(write_text("c.ppm", "P6 2 1 65535\nabcdef")),
            "a PPM file of another depth than 8 bits (255)");
  EXPECT_EQ(refusal(write_text("d.ppm", "P6 0 1 255\n")), "a picture of 1x0 pixels");
  EXPECT_EQ(refusal(write_text("e.ppm", "P6")), "the PPM header is damaged");
  EXPECT_EQ(refusal(write_text("f.ppm", "P6 16384 16384 255\n")),
            "a picture of 16384x16384 pixels is larger than 16384 pixels a side or 64 Mi pixels");
}

TEST_F(PictureFiles, WhatIsNoPictureIsRefused) {
  EXPECT_EQ(refusal(write_text("empty.png")), "the file is empty");
  EXPECT_EQ(refusal(write_text("text.jpg", "hello")), "no PNG, JPEG or PPM (P6) picture");
  EXPECT_EQ(refusal(folder_ / "missing.png"), "no such file");
  EXPECT_EQ(refusal(folder_), "not a regular file");
  EXPECT_FALSE(refusal(write_text("half.png", "\x89PNG\r\n\x1a\n")).empty());
  EXPECT_FALSE(refusal(write_text("half.jpg", "\xff\xd8\xff\xe0")).empty());
}

TEST_F(PictureFiles, JpegOfCmykOrOfTwelveBitsIsRefused) {
  const std::string cmyk = refusal(write("cmyk.jpg", jpeg_header(8, 4)));
  if (cmyk.find("no libjpeg-turbo") != cmyk.npos) GTEST_SKIP() << cmyk;
  EXPECT_EQ(cmyk, "a JPEG file of CMYK colours; only grey and RGB pictures are read");
  EXPECT_EQ(refusal(write("deep.jpg", jpeg_header(12, 3))),
            "no whole JPEG file: Unsupported JPEG data precision 12");
}

TEST_F(PictureFiles, PngOfSixteenBitsIsReducedToEight) {
  const Bytes png = {0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0x00, 0x00, 0x0D,
                     0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x01,
                     0x10, 0x02, 0x00, 0x00, 0x00, 0x2B, 0xD0, 0x34, 0x9E, 0x00, 0x00, 0x00,
                     0x18, 0x49, 0x44, 0x41, 0x54, 0x78, 0x01, 0x01, 0x0D, 0x00, 0xF2, 0xFF,
                     0x00, 0x00, 0x00, 0x80, 0x80, 0xFF, 0xFF, 0x01, 0xFF, 0x7F, 0x00, 0x0A,
                     0x0A, 0x1F, 0x99, 0x04, 0x92, 0xF8, 0x7E, 0x38, 0x87, 0x00, 0x00, 0x00,
                     0x00, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82};
  const std::filesystem::path file = write("deep.png", png);
  Picture picture;
  try {
    picture = read_picture(file);
  } catch (const FileError& error) {
    GTEST_SKIP() << error.what();  // a build without libpng
  }
  EXPECT_EQ(picture.pixels, (std::vector<uint8_t>{0, 128, 255, 2, 127, 10}));
}

TEST_F(PictureFiles, PngIsReadAsItWasWritten) {
  Picture picture{3, 2, {}};
  for (int i = 0; i < 18; ++i) picture.pixels.push_back(static_cast<uint8_t>(13 * i));
  const std::filesystem::path file = folder_ / "a.png";
  try {
    write_picture(file, picture);
  } catch (const FileError& error) {
    GTEST_SKIP() << error.what();  // a build without libpng
  }
  EXPECT_EQ(read_picture(file).pixels, picture.pixels);
  Bytes bytes = read(file);
  bytes.resize(bytes.size() - 20);
  EXPECT_TRUE(refusal(write("cut.png", bytes)).starts_with("the PNG file is damaged: "));
}

}  // namespace
}  // namespace lapcast::workloads

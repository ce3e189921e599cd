#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "run/text_bytes.h"

namespace lapcast {
namespace {

// The test vectors of RFC 4648 section 10.
TEST(Base64, VectorsOfTheRfc) {
  EXPECT_EQ(to_base64(""), "");
  EXPECT_EQ(to_base64("f"), "Zg==");
  EXPECT_EQ(to_base64("fo"), "Zm8=");
  EXPECT_EQ(to_base64("foo"), "Zm9v");
  EXPECT_EQ(to_base64("foob"), "Zm9vYg==");
  EXPECT_EQ(to_base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(to_base64("foobar"), "Zm9vYmFy");
}

TEST(Base64, ReadsBackAnyBytes) {
  std::mt19937 random(1);
  for (std::size_t length = 0; length < 300; ++length) {
    std::string bytes(length, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    EXPECT_EQ(from_base64(to_base64(bytes)), bytes);
  }
}

TEST(Base64, RefusesAllButItsOwnOutput) {
  for (const char* text : {"Z", "Zg", "Zg=", "Zg===", "====", "Zh==", "Zm9=", "Z===", "Zm9v\n",
                           "Zm-v", "=m9v", "Zg==Zg=="}) {
    EXPECT_EQ(from_base64(text), std::nullopt) << text;
  }
}

// Limits of table 3-7 of the Unicode standard, and one step beyond each.
TEST(Utf8, LimitsOfTheStandard) {
  for (const char* text :
       {"", "a\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
        "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(is_utf8(text)) << text;
  }
  for (const char* text :
       {"\x80", "\xc1\xbf", "\xc2", "\xc2x", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xef\xbf",
        "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xf0\x90\x80", "\xff"}) {
    EXPECT_FALSE(is_utf8(text)) << text;
  }
}

// Two quotes; "\n" and "\"" take 2 bytes, a NUL takes the 6 of "\u0000", DEL and UTF-8 their own.
TEST(TextBytes, SizesOfJson) {
  EXPECT_EQ(json_size(""), 2U);
  EXPECT_EQ(json_size(std::string_view("a\n\"\0\x7F\xC3\xA9", 7)), 2U + 1 + 2 + 2 + 6 + 1 + 2);
  EXPECT_EQ(base64_size(0), 13U);
  EXPECT_EQ(base64_size(4), 13U + 8);
}

TEST(LastLines, AreCutFromTheEnd) {
  EXPECT_EQ(last_lines("", 3), "");
  EXPECT_EQ(last_lines("one", 3), "one");
  EXPECT_EQ(last_lines("one\ntwo\nthree\n", 2), "two\nthree");
  EXPECT_EQ(last_lines("one\ntwo\nthree", 3), "one\ntwo\nthree");
  EXPECT_EQ(last_lines("one\ntwo\n\n\n", 1), "two");
  EXPECT_EQ(last_lines("one", 0), "");
}

TEST(JsonDepth, CountsBracketsOutsideOfTexts) {
  EXPECT_EQ(json_depth(R"({"a":[1,[2]],"b":"[[[[{"})"), 3);
  EXPECT_EQ(json_depth(R"("\"[")"), 0);
}

TEST(JsonValues, CountsWhatTakesMemory) {
  EXPECT_EQ(json_values("[1,1,1]"), 3);                  // a bracket and two commas
  EXPECT_EQ(json_values(R"({"a":"1,2,3","b":[]})"), 3);  // two brackets and a comma
  EXPECT_EQ(json_values(""), 0);
}

TEST(EscapedControls, AreThoseThatJsonLeavesAsTheyAre) {
  EXPECT_EQ(escaped_controls("\"a\x7F\xC2\x9B"
                             "31m\xC2\x80\""),
            "\"a\\u007f\\u009b31m\\u0080\"");
  EXPECT_EQ(escaped_controls("\"\xC2\xA0\xC3\xA4\xC2\""), "\"\xC2\xA0\xC3\xA4\xC2\"");
  EXPECT_EQ(escaped_controls(""), "");
}

}  // namespace

}  // namespace lapcast

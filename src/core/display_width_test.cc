#include "core/display_width.h"

#include <gtest/gtest.h>

namespace lapcast {
namespace {

TEST(DisplayWidth, CountsColumnsNotBytes) {
  EXPECT_EQ(display_width(""), 0u);
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("caf\xc3\xa9"), 4u);
  EXPECT_EQ(display_width("e\xcc\x81"), 1u);                 // e and a combining acute
  EXPECT_EQ(display_width("\xe6\xbc\xa2\xe5\xad\x97"), 4u);  // two CJK ideographs
  EXPECT_EQ(display_width("\xf0\x9f\x98\x80"), 2u);          // an emoji
  EXPECT_EQ(display_width("\xe2\x86\x92"), 1u);              // an arrow
  EXPECT_EQ(display_width("\xe6\xbc"), 2u);                  // broken: one per byte
}

using Lines = std::vector<std::string>;

TEST(Wrapped, BreaksAtBlanks) {
  EXPECT_EQ(wrapped("", 10), Lines{""});
  EXPECT_EQ(wrapped("one two", 7), Lines{"one two"});
  EXPECT_EQ(wrapped("one two", 6), (Lines{"one", "two"}));
  EXPECT_EQ(wrapped("one  two", 8), Lines{"one  two"});
  EXPECT_EQ(wrapped("\xe6\xbc\xa2 \xe5\xad\x97", 4),
            (Lines{"\xe6\xbc\xa2", "\xe5\xad\x97"}));  // two columns each
}

TEST(Wrapped, IndentsEveryLineAndBreaksLongWords) {
  EXPECT_EQ(wrapped("  one two", 6), (Lines{"  one", "  two"}));
  EXPECT_EQ(wrapped("abcdefg hi", 3), (Lines{"abc", "def", "g", "hi"}));
  EXPECT_EQ(wrapped("    x", 4), Lines{"x"});
  EXPECT_EQ(wrapped("Standard_NC24_v4 x", 10), (Lines{"Standard_", "NC24_v4 x"}));
  EXPECT_EQ(wrapped("--one-option", 9), (Lines{"--one-", "option"}));
  EXPECT_EQ(wrapped("--option", 5), (Lines{"--opt", "ion"}));
}

TEST(VisibleMarks, AreTheEscapesOfMarksThatReorderText) {
  EXPECT_EQ(with_visible_marks("a\xE2\x80\xAE"
                               "b\xD8\x9C"
                               "c\xE2\x81\xA6"),
            "a\\u202eb\\u061cc\\u2066");
  EXPECT_EQ(with_visible_marks("\xD8\xA7 \xE2\x82\xAC \xE2\x80"), "\xD8\xA7 \xE2\x82\xAC \xE2\x80");
}

}  // namespace
}  // namespace lapcast

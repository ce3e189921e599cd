#include "run/json_controls.h"

#include <gtest/gtest.h>

namespace lapcast {
namespace {

TEST(EscapedControls, AreThoseThatJsonLeavesAsTheyAre) {
  EXPECT_EQ(escaped_controls("\"a\x7F\xC2\x9B"
                             "31m\xC2\x80\""),
            "\"a\\u007f\\u009b31m\\u0080\"");
  EXPECT_EQ(escaped_controls("\"\xC2\xA0\xC3\xA4\xC2\""), "\"\xC2\xA0\xC3\xA4\xC2\"");
  EXPECT_EQ(escaped_controls(""), "");
}

}  // namespace
}  // namespace lapcast

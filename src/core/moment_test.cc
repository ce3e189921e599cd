#include "core/moment.h"

#include <gtest/gtest.h>

namespace lapcast {
namespace {

// 2026-11-20T12:00:00Z is 20,777 days and 12 hours after 1970 began.
constexpr double kNoon = 20'777.0 * 86'400 + 12 * 3600;

TEST(Moment, IsReadInAllFormsThatToolsWrite) {
  for (const char* text :
       {"2026-11-20T12:00:00Z", "2026-11-20 12:00:00", "2026-11-20 12:00:00+00:00",
        "2026/11/20 12:00:00.000", "2026-11-20T13:00:00+01:00", "2026-11-20T07:00:00-0500"})
    EXPECT_EQ(parse_moment(text), kNoon) << text;
  EXPECT_DOUBLE_EQ(parse_moment("2026/11/20 12:00:00.844").value(), kNoon + 0.844);
}

TEST(Moment, WithoutAnOffsetIsOfTheClockThatIsGiven) {
  EXPECT_EQ(parse_moment("2026-11-20 13:00:00", 3600), kNoon);
  EXPECT_EQ(parse_moment("2026-11-20 12:00:00Z", 3600), kNoon);
}

TEST(Moment, IsNothingElse) {
  for (const char* text :
       {"", "12:00", "2026-11-20", "2026-02-30T12:00:00Z", "2026-11-20T24:00:00Z",
        "2026-11/20 12:00:00", "9999-01-02T00:00:00Z", "2026-11-20T12:00:00Zx"})
    EXPECT_EQ(parse_moment(text), std::nullopt) << text;
}

}  // namespace
}  // namespace lapcast

#include "cli/progress_line.h"

#include <gmock/gmock.h>

namespace lapcast {
namespace {

using testing::ElementsAre;

TEST(LiveRows, AreWrittenOverFromTheFirst) {
  LiveRows rows;
  EXPECT_EQ(rows.show({"a"}), "\r\033[Ja");
  EXPECT_EQ(rows.show({"b", "c", "d"}), "\r\033[Jb\nc\nd");
  EXPECT_EQ(rows.show({"e", "f"}),
            "\r\033[2A\033[Je\nf");  // up from d's row to b's
  EXPECT_EQ(rows.show({"e", "f"}), "");
  EXPECT_EQ(rows.hide(), "\r\033[1A\033[J");
  EXPECT_EQ(rows.hide(), "");
  EXPECT_EQ(rows.show({"g"}), "\r\033[Jg");
}

TEST(LiveRows, TooManyAreCounted) {
  EXPECT_THAT(first_rows({"a", "b", "c"}, 3), ElementsAre("a", "b", "c"));
  EXPECT_THAT(first_rows({"a", "b", "c", "d"}, 3), ElementsAre("a", "b", "... and 2 more"));
  EXPECT_THAT(first_rows({"a", "b"}, 1), ElementsAre("... and 2 more"));
}

}  // namespace
}  // namespace lapcast

#include "suite/driver/prepared_set.h"

#include <gtest/gtest.h>

#include <string>

namespace lapcast {
namespace {

const std::string kReport =
    R"({"images":9,"earlier":3,"prepared":8,"shards":2,"done":6,"bytes_in":600,"bytes_out":60,)"
    R"("seconds":1.5,"stages":[{"stage":"decode","seconds":1.25}],)"
    R"("sizes":[{"width":3000,"height":2000,"images":9}],)"
    R"("files":[{"kib":2048,"before":9,"after":0}],)"
    R"("skipped":[{"image":"a.jpeg","reason":"the file is empty"}]})";

TEST(PreparedSet, IsReadAsTheProgramWritesIt) {
  const auto set = parse_prepared_set(kReport);
  ASSERT_TRUE(set) << set.error().text;
  EXPECT_EQ(set->images, 9);
  EXPECT_EQ(set->done, 6);
  EXPECT_DOUBLE_EQ(set->time.count(), 1.5);
  EXPECT_EQ(set->stages.at(0).stage, "decode");
  EXPECT_EQ(set->sizes.at(0).height, 2000);
  EXPECT_EQ(set->files.at(0).kib, 2048);
  EXPECT_EQ(set->skipped.at(0).reason, "the file is empty");
}

TEST(PreparedSet, NamesWhatIsWrong) {
  EXPECT_EQ(parse_prepared_set("").error().text, "not one JSON object");
  EXPECT_EQ(parse_prepared_set("[]").error().text, "it is not an object");
  EXPECT_EQ(parse_prepared_set("{}").error().text, "images is missing");
  std::string damaged = kReport;
  damaged.replace(damaged.find("3000"), 4, "\"x\" ");
  EXPECT_EQ(parse_prepared_set(damaged).error().text,
            "sizes[0].width is not a whole number of 64 bits");
}

}  // namespace
}  // namespace lapcast

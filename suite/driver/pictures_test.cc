#include "suite/driver/pictures.h"

#include <gmock/gmock.h>

#include <string>

#include "core/error.h"

namespace lapcast {
namespace {

using testing::ElementsAre;

lapcast::Run searched(const std::string& metrics) {
  lapcast::Run run;
  run.ended_ns = 5'000'000'000;
  run.outcome = outcome::NoLaps{"none"};
  run.lap_logs = {
      "lapcast-laps 1\n0 hello clock=0 wall=1.0 pid=7 rank=0 world=1 host=b emitter=t\n" + metrics};
  return run;
}

TEST(ImageSizes, AreListsOfRowsAndColumns) {
  EXPECT_THAT(parse_image_sizes("1152x1600,443x760,1152x1600"),
              ElementsAre("1152x1600", "443x760"));
  for (const char* bad : {"", "443", "443x", "x760", "0x5", "05x5", "443x760,", "443x760x3",
                          "16385x1", "443X760", "-1x5"})
    EXPECT_THROW(parse_image_sizes(bad), Error) << bad;
}

TEST(PictureResult, IsWhatTheProgramReports) {
  const auto result = picture_result(searched("9 metric seconds 2.5\n9 metric objects 100\n"));
  ASSERT_TRUE(result) << result.error().text;
  EXPECT_EQ(result->seconds, 2.5);
  EXPECT_EQ(result->objects, 100);
  EXPECT_EQ(picture_result(searched("9 metric seconds 2.5\n")).error().text,
            "it did not report the metrics seconds, objects");
  EXPECT_FALSE(picture_result(searched("9 metric seconds 0\n9 metric objects 1\n")));
}

TEST(PictureRuns, KnowTheirSizeAndMode) {
  RunContext context;
  EXPECT_FALSE(pictures_of(context));
  context.settings = {{"sizes", "443x760"}, {"device", "cuda"}};
  const auto pictures = pictures_of(context);
  ASSERT_TRUE(pictures);
  EXPECT_EQ(pictures->size, "443x760");
  EXPECT_EQ(pictures->mode, PictureMode::gpu);
}

TEST(PictureRuns, SayWhyThereAreNone) {
  PictureRuns pictures;
  add_results(pictures, std::vector{searched("9 metric seconds 1\n")});
  EXPECT_EQ(pictures.reason, "it did not report the metrics seconds, objects");
  lapcast::Run first = searched("9 metric seconds 1\n9 metric objects 3\n");
  lapcast::Run warm_up = first;
  warm_up.context.warm_up = true;
  add_results(pictures, std::vector{warm_up, first});
  EXPECT_THAT(pictures.seconds, ElementsAre(1));
  EXPECT_EQ(pictures.reason, "");
}

}  // namespace
}  // namespace lapcast

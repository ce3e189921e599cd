#include "formats/event_file_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "forecast/fake_log_test.h"
#include "formats/tensorboard.h"

namespace lapcast {
namespace {

using namespace std::string_view_literals;
using testing::ElementsAre;

// By tensorflow/core/util/event.proto: field 1 (a double, tag 0x09) is 1.0, field 2 (a number,
// 0x10) is 3, field 5 (a message of 10 bytes, 0x2a) is the summary. Its field 1 (8 bytes) is a
// value: field 1 is the tag "a", field 2 (a float, 0x15) is 2.0.
TEST(ScalarEvent, IsAMessageOfProtobuf) {
  EXPECT_EQ(scalar_event(1.0, 3, "a", 2.0F),
            "\x09\x00\x00\x00\x00\x00\x00\xf0\x3f\x10\x03\x2a\x0a\x0a\x08\x0a\x01"
            "a\x15\x00\x00\x00\x40"sv);
}

TEST(VersionEvent, NamesTheFormat) {
  EXPECT_EQ(version_event(1.0),
            "\x09\x00\x00\x00\x00\x00\x00\xf0\x3f\x1a\x0d"
            "brain.Event:2"sv);
}

std::vector<std::string> scalars_in(std::string_view file) {
  std::vector<std::string> found;
  TfRecordReader reader;
  reader.feed(file, [&](std::string_view record) {
    const auto event = parse_summary_event(record);
    for (const auto& scalar : event->scalars)
      found.push_back(
          fmt::format("{} {} {:g} {:g}", scalar.tag, event->step, scalar.value, event->wall_time));
  });
  EXPECT_FALSE(reader.is_lost() || reader.is_cut());
  return found;
}

// Two laps of 0.5 and 0.25 s on 100 samples, a validation of 1 s, a checkpoint of 2 s.
TEST(EventFile, HasTheScalarsOfARunByItsLaps) {
  FakeLog fake(0);
  fake.lap(0.5).lap(0.25).validation(1, 10).checkpoint(2);
  fake.log.metrics.push_back(
      {.name = "loss", .value = 0.5, .at_ns = 500'000'000, .laps_before = 1});
  fake.log.metrics.push_back({.name = "bad", .value = std::stod("nan")});
  const RunTimeline timeline{.started_s = 1000, .log = fake.log, .costs_s = {0.5, 0.25}};
  EXPECT_THAT(scalars_in(event_file(timeline)),
              ElementsAre("lap/seconds 1 0.5 1000.5", "lap/samples_per_second 1 200 1000.5",
                          "lap/seconds 2 0.25 1000.75", "lap/samples_per_second 2 400 1000.75",
                          "validation/seconds 2 1 1001.75", "checkpoint/seconds 2 2 1003.75",
                          "metrics/loss 1 0.5 1000.5"));
  EXPECT_EQ(event_file_name(timeline), "events.out.tfevents.0000001000.lapcast");
}

TEST(EventFile, OfARunWithoutAnythingHasNoScalar) {
  EXPECT_THAT(scalars_in(event_file({})), ElementsAre());
}

TEST(EventFolderName, IsSafeWhateverTheNamesAre) {
  RunContext context;
  context.id = "3f0c";
  context.program = {"/home/me/../train\n.py"};
  context.machine_type.name = "a/../b";
  context.settings = {{"batch", "64"}};
  EXPECT_EQ(event_folder_name(context), "train_.py_a_.._b_batch=64_3f0c");
  EXPECT_EQ(event_folder_name({.id = "3f0c"}), "3f0c");
}

}  // namespace
}  // namespace lapcast

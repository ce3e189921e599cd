#include "formats/tensorboard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/crc32c.h"
#include "formats/event_file_test.h"

namespace lapcast {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr double kStart = 1'600'000'000;

/// The file's first record; then steps 100, 200, 300 and 400 at 10, 14, 18 and 22 s, with an
/// accuracy beside the last.
std::string four_steps() {
  std::string file = tf_record(event(kStart, 0));
  for (int i = 1; i <= 4; ++i) {
    file += tf_record(event(kStart + 6 + 4 * i, 100 * i, simple_value("loss", 1.0F / i)));
  }
  return file + tf_record(event(kStart + 22.5, 400, tensor_value("accuracy", 0.5F)));
}

ImportedLog import_events(std::string_view bytes, std::size_t piece = std::string::npos) {
  TensorboardReader reader;
  for (std::size_t at = 0; at < bytes.size(); at += std::min(piece, bytes.size() - at)) {
    reader.feed(bytes.substr(at, piece));
  }
  return reader.finish("events.out");
}

// The check value of CRC-32C, and how TensorFlow masks it.
TEST(TfRecord, ChecksWithTheMaskedCrc32c) {
  const std::uint32_t crc = 0xE3069283;
  EXPECT_EQ(masked_crc32c("123456789"), ((crc >> 15) | (crc << 17)) + 0xa282ead8U);
}

TEST(TfRecord, SkipsHugeRecordsUnread) {
  const std::string length = little_endian(1ULL << 40, 8);
  TfRecordReader reader;
  reader.feed(length + little_endian(masked_crc32c(length), 4) + "beginning",
              [](std::string_view) { FAIL(); });
  EXPECT_TRUE(reader.is_cut());
  EXPECT_EQ(reader.records(), 1);
}

TEST(WireFields, StayWithinTheirBytes) {
  for (const std::string& bytes :
       {std::string("\x0a\x7fx"),
        std::string("\x09"
                    "1234567"),
        std::string("\x0d"
                    "123"),
        std::string("\x08\xff"), std::string(11, '\xff'), std::string("\x0b"),
        std::string("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x01")}) {
    WireFields fields(bytes);
    EXPECT_FALSE(fields.next());
    EXPECT_FALSE(fields.ok());
  }
}

TEST(SummaryEvent, ReadsBothKindsOfScalars) {
  const std::string old = event(kStart, 7, simple_value("loss", 0.25F));
  const auto one = parse_summary_event(old).value();
  EXPECT_EQ(one.step, 7);
  EXPECT_EQ(one.wall_time, kStart);
  ASSERT_EQ(one.scalars.size(), 1U);
  EXPECT_EQ(one.scalars[0].tag, "loss");
  EXPECT_EQ(one.scalars[0].value, 0.25);
  const std::string tensor = event(kStart, 7, tensor_value("loss", 0.5F));
  EXPECT_EQ(parse_summary_event(tensor).value().scalars.at(0).value, 0.5);
}

// 100 steps in 4 s; the first hundred are taken to have lasted as long, after a start of 6 s.
TEST(Tensorboard, LapsAreTheStepsBetweenLoggedPoints) {
  const ImportedLog imported = import_events(four_steps());
  EXPECT_THAT(imported.problems, IsEmpty());
  ASSERT_EQ(imported.runs.size(), 1U);
  const auto& run = imported.runs[0];
  EXPECT_EQ(run.context.started_at, "2020-09-13T12:26:40Z");
  EXPECT_EQ(run.wall(), Seconds{22});
  const LapLog log = *laps_of(run);
  ASSERT_EQ(log.laps.size(), 400U);
  EXPECT_NEAR(static_cast<double>(log.laps[0].begin_ns) * 1e-9, 6, 1e-6);
  EXPECT_NEAR(log.laps[399].seconds().count(), 0.04, 1e-6);
  EXPECT_EQ(log.plan->steps, 400);
  ASSERT_EQ(log.metrics.size(), 5U);
  EXPECT_EQ(log.metrics[4].name, "accuracy");
}

// Each 100 steps take 4 s; an evaluation makes the third interval 9 s long.
TEST(Tensorboard, AnEvaluationIsNotPartOfTheLaps) {
  std::string file = tf_record(event(kStart, 0));
  for (const auto& [at, step] : {std::pair{10, 100}, {14, 200}, {23, 300}, {27, 400}})
    file += tf_record(event(kStart + at, step, simple_value("train/loss", 1)));
  file += tf_record(event(kStart + 23, 300, simple_value("eval/loss", 1)));
  const LapLog log = *laps_of(import_events(file).runs.at(0));
  ASSERT_EQ(log.validations.size(), 1U);
  EXPECT_NEAR(log.validations[0].span.seconds().count(), 5, 1e-6);
  ASSERT_EQ(log.laps.size(), 400U);
  EXPECT_NEAR(log.laps[250].seconds().count(), 0.04, 1e-6);
}

TEST(Tensorboard, AnyPiecesGiveTheSame) {
  const auto whole = import_events(four_steps()).runs.at(0);
  for (const std::size_t piece : {1U, 5U, 50U}) {
    EXPECT_EQ(import_events(four_steps(), piece).runs.at(0), whole) << piece;
  }
}

TEST(Tensorboard, ACutFileGivesItsPrefix) {
  const std::string file = four_steps();
  const ImportedLog imported = import_events(file.substr(0, file.size() - 60));
  EXPECT_THAT(imported.problems, ElementsAre("cut off after record 4"));
  ASSERT_EQ(imported.runs.size(), 1U);
  EXPECT_EQ(laps_of(imported.runs[0])->laps.size(), 300U);
}

TEST(Tensorboard, ADamagedRecordIsLeftOut) {
  std::string file = four_steps();
  const std::size_t second = tf_record(event(kStart, 0)).size() + 20;
  file[second] = static_cast<char>(file[second] ^ 1);
  const ImportedLog imported = import_events(file);
  EXPECT_THAT(imported.problems, ElementsAre("record 2: damaged (CRC); 1 in all"));
  // Without the first point it is not known where the counter began.
  EXPECT_EQ(laps_of(imported.runs.at(0))->laps.size(), 200U);
}

TEST(Tensorboard, ADamagedLengthLosesTheRest) {
  std::string file = four_steps();
  file[tf_record(event(kStart, 0)).size()] = 'x';
  EXPECT_THAT(import_events(file).problems, Contains(HasSubstr("record 2: its length is damaged")));
}

TEST(Tensorboard, StepsThatGoBackAreLeftOut) {
  std::string file = four_steps();
  file += tf_record(event(kStart + 26, 300, simple_value("loss", 0.1F)));
  file += tf_record(event(kStart + 30, 500, simple_value("loss", 0.1F)));
  const auto run = import_events(file).runs.at(0);
  EXPECT_THAT(run.warnings, Contains("record 7: step 300 after step 400; left out, 1 in all"));
  EXPECT_EQ(laps_of(run)->laps.size(), 500U);
}

TEST(Tensorboard, WhatIsNoEventFileHasAReason) {
  EXPECT_THAT(import_events("hello, this is not an event file").problems,
              ElementsAre(HasSubstr("record 1: its length is damaged"), "no scalar in it"));
  EXPECT_THAT(import_events("").problems, ElementsAre("no scalar in it"));
  const std::string one = tf_record(event(kStart, 1, simple_value("loss", 1)));
  EXPECT_TRUE(std::holds_alternative<outcome::NoLaps>(import_events(one).runs.at(0).outcome));
}

}  // namespace
}  // namespace lapcast

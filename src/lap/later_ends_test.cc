// Ends of laps that became known after the laps' own lines.
#include <gmock/gmock.h>

#include <string>

#include "lap/golden_test.h"
#include "lap/lap_log_reader.h"

namespace lapcast {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

LapLog read_ends(const std::string& events) {
  return parse_lap_log("lapcast-laps 1\n0 hello clock=100\n" + events);
}

// The host queued four laps at 30, 32, 34 and 50. On the device they ended at 48, 64, one that is
// not known, and 96: after the epoch's end at 70 and the validation's begin at 71, which the device
// began when it had ended the laps. Laps 3 and 4 share 64 to 96: lap 3 is unfinished and ends
// wherever it may. The laps at 140 and 141 have no known end.
TEST(LaterEnds, AreTheEndsOfTheirLaps) {
  const LapLog log = parse_lap_log(golden_lap_log("ended.log"));
  EXPECT_THAT(log.laps,
              ElementsAre(Lap{10, 48, 0, 8, 1}, Lap{48, 64, 1, 8, 1},
                          Lap{64, 64, 2, 8, 1, 0, false}, Lap{64, 96, 3, 8, 1},
                          Lap{131, 140, 4, 8, 2, 0, false}, Lap{140, 141, 5, 8, 2, 0, false}));
  EXPECT_THAT(log.validations, ElementsAre(ValidationSpan{{96, 120}, 50, 1, false, 4}));
  EXPECT_THAT(log.epochs, ElementsAre(EpochSpan{1, {10, 96}, true, 0, 4, 32},
                                      EpochSpan{2, {131, 0}, false, 4, 2, 16}));
  EXPECT_THAT(log.stages, ElementsAre(StageSpan{"checkpoint", {121, 130}, 9, 1, 4}));
  EXPECT_EQ(log.damage, std::nullopt);
}

// Lap 2 was queued at 12, while lap 1 went on until 40. It began then, and so did what followed.
TEST(LaterEnds, MoveWhatFollowsTheLap) {
  const LapLog log = read_ends(
      "10 q 8\n12 q 8\n14 stage-begin a\n16 stage-end a\n18 stage-begin b\n45 ended 1 40\n"
      "50 stage-end b\n60 ended 2 55\n70 q 8\n");
  EXPECT_THAT(log.laps,
              ElementsAre(Lap{0, 40, 0, 8}, Lap{40, 55, 1, 8}, Lap{55, 70, 2, 8, 0, 0, false}));
  // A stage that the program left before the device had ended the laps took none of its time.
  EXPECT_THAT(log.stages,
              ElementsAre(StageSpan{"a", {16, 16}, 0, 0, 2}, StageSpan{"b", {50, 50}, 0, 0, 2}));
}

TEST(LaterEnds, BeginNoLap) {
  const LapLog log = read_ends("10 q 8\n20 epoch-begin 1\n25 ended 1 15\n30 i 8\n");
  EXPECT_THAT(log.laps, ElementsAre(Lap{0, 15, 0, 8}, Lap{20, 30, 1, 8, 1}));
  EXPECT_EQ(log.last_ns, 30);
}

// Lap 3 waited for the device, so the laps before it had ended by then, wherever they did.
TEST(LaterEnds, OfALapBeforeAFinishedOneSayNothing) {
  const LapLog log = read_ends("10 q 8\n20 ended 1 18\n22 q 8\n30 i 8\n31 ended 2 29\n");
  EXPECT_THAT(log.laps,
              ElementsAre(Lap{0, 18, 0, 8}, Lap{18, 22, 1, 8, 0, 0, false}, Lap{22, 30, 2, 8}));
  EXPECT_EQ(log.damage, std::nullopt);
  EXPECT_EQ(read_ends("10 q 8\n20 ended 1 18\n21 ended 1 20\n").laps[0].end_ns, 18);
}

TEST(LaterEnds, AreNeverBeforeTheEndOfTheLapBefore) {
  const LapLog log = read_ends("10 q 8\n20 q 8\n30 ended 1 30\n40 ended 2 25\n");
  EXPECT_THAT(log.laps, ElementsAre(Lap{0, 30, 0, 8}, Lap{30, 30, 1, 8}));
}

TEST(LaterEnds, ThatCannotBeAreDamage) {
  EXPECT_EQ(read_ends("10 q 8\n20 ended 2 15\n").damage->what,
            "the end of a lap that was not reported");
  EXPECT_EQ(read_ends("10 q 8\n20 ended 0 15\n").damage->what,
            "the end of a lap that was not reported");
  EXPECT_EQ(read_ends("10 q 8\n20 ended 1 21\n").damage->what, "the end of a lap before it ended");
  EXPECT_EQ(read_ends("10 q 8\n20 ended 1\n").damage->what, "not a number");
  EXPECT_EQ(read_ends("10 q 8\n9 ended 1 8\n").damage->what, "time runs backwards");
}

TEST(LaterEnds, MayHaveFieldsThatAreNotKnown) {
  const LapLog log = read_ends("10 q 8\n20 ended 1 15 device=0\n");
  EXPECT_THAT(log.laps, ElementsAre(Lap{0, 15, 0, 8}));
}

// While the program runs, every look at the log has its laps in order, and what is known stays.
TEST(LaterEnds, KeepTheLapsInOrderWhileALogGrows) {
  LapLogReader reader;
  reader.feed("lapcast-laps 1\n0 hello clock=100\n10 q 8\n11 q 8\n12 q 8\n20 ended 1 20\n");
  EXPECT_THAT(reader.log().laps, ElementsAre(Lap{0, 20, 0, 8}, Lap{20, 20, 1, 8, 0, 0, false},
                                             Lap{20, 20, 2, 8, 0, 0, false}));
  reader.feed("30 ended 2 30\n");
  EXPECT_THAT(reader.log().laps,
              ElementsAre(Lap{0, 20, 0, 8}, Lap{20, 30, 1, 8}, Lap{30, 30, 2, 8, 0, 0, false}));
  reader.feed("40 i 8\n");
  EXPECT_THAT(reader.log().laps, ElementsAre(Lap{0, 20, 0, 8}, Lap{20, 30, 1, 8},
                                             Lap{30, 30, 2, 8, 0, 0, false}, Lap{30, 40, 3, 8}));
}

// As many ends as laps, each later than all laps: taken in a time that grows with their number.
TEST(LaterEnds, OfALongQueueTakeNoLongerThanItsLaps) {
  constexpr int kLaps = 200'000;
  std::string events;
  for (int i = 0; i < kLaps; ++i) events += "1 q 8\n";
  for (int i = 1; i <= kLaps; ++i) {
    const std::string at = std::to_string(1000 + i);
    events += at + " ended " + std::to_string(i) + " " + at + "\n";
  }
  const LapLog log = read_ends(events);
  ASSERT_THAT(log.laps, SizeIs(kLaps));
  EXPECT_EQ(log.laps.back(), (Lap{1000 + kLaps - 1, 1000 + kLaps, kLaps - 1, 8}));
}

// The text that is kept has the ends, however many they are.
TEST(LaterEnds, AreKeptAsLapsAre) {
  KeptLines kept;
  std::string text = "lapcast-laps 1\n0 hello clock=100\n";
  for (int i = 1; i <= 300'000; ++i) {
    const std::string at = std::to_string(i);
    text += at + " q 8\n" + at + " ended " + at + " " + at + "\n";
  }
  LapLogReader reader(kept);
  reader.feed(text);
  reader.finish();
  EXPECT_EQ(kept.dropped_events(), LineCount{});
  EXPECT_EQ(reader.text(), text);
  EXPECT_TRUE(reader.log().laps.back().finished);
}

}  // namespace
}  // namespace lapcast

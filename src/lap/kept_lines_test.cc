#include "lap/lap_log_reader.h"

#include <gmock/gmock.h>

#include <string>

namespace lapcast {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::string kKeptOpening = "lapcast-laps 1\n0 hello clock=100\n";

/// Holds a log that was read with a share in `kept`, and the text that was kept.
struct Read {
  LapLog log;
  std::string text;
};
Read read(KeptLines& kept, const std::string& text) {
  LapLogReader reader(kept);
  reader.feed(text);
  reader.finish();
  std::string lines = reader.text();
  return {std::move(reader).take(), std::move(lines)};
}

std::string repeated(const std::string& line, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += line;
  return text;
}

TEST(KeptLines, AUsualLogIsKeptVerbatim) {
  KeptLines kept;
  const std::string text =
      kKeptOpening + "1 plan epochs=2\n5 i 8\n6 metric loss 1\n7 later kind\n" + "9 q 8\nx\n9 by";
  EXPECT_EQ(read(kept, text).text, text);
  EXPECT_EQ(kept.dropped_events(), LineCount{});
  EXPECT_EQ(kept.dropped_damage(), LineCount{});
}

TEST(KeptLines, EventsAreKeptUpToTheirRoomAndAllLaps) {
  KeptLines kept;
  const std::string metric = "5 metric loss 1\n";  // 16 bytes: 262144 of them are 4 MiB
  const Read first =
      read(kept, kKeptOpening + repeated(metric, 300'000) + repeated("5 i 8\n", 1000));
  // 15 + 18 bytes of opening; with the laps' 6000 come 4 * 6033 more bytes of events. Those of the
  // opening came before the metrics: room for 262144 + 132 / 16 of them.
  EXPECT_THAT(first.log.metrics, SizeIs(262'144 + 8));
  EXPECT_THAT(first.log.laps, SizeIs(1000));
  EXPECT_EQ(kept.dropped_events(), (LineCount{300'000 - 262'152, (300'000 - 262'152) * 16}));
  const LapLog again = parse_lap_log(first.text);
  EXPECT_EQ(again.laps, first.log.laps);
  EXPECT_EQ(again.metrics, first.log.metrics);

  // Another log of the run shares the room: 4 bytes that were left, 24000 for the laps, and 132 for
  // its own opening.
  const Read second = read(kept, kKeptOpening + repeated(metric, 3000));
  EXPECT_THAT(second.log.metrics, SizeIs(1508));
}

TEST(KeptLines, DamageIsKeptUpToItsRoom) {
  KeptLines kept;
  const Read all = read(kept, kKeptOpening + "5 i 8\n" + repeated("damage.\n", 10'000) + "6 i 8\n");
  EXPECT_EQ(all.log.damage->lines, 10'000);
  EXPECT_THAT(all.log.laps, SizeIs(2));
  EXPECT_EQ(kept.dropped_damage(), (LineCount{10'000 - 8192, (10'000 - 8192) * 8}));
  EXPECT_EQ(parse_lap_log(all.text).laps, all.log.laps);
}

TEST(KeptLines, OfALongLineItsBeginIsKept) {
  KeptLines kept;
  const Read all = read(kept, kKeptOpening + std::string(1'000'000, 'x') + "\n6 i 8\n");
  EXPECT_EQ(all.text, kKeptOpening + std::string(4096, 'x') + "\n6 i 8\n");
  EXPECT_EQ(kept.dropped_damage(), (LineCount{0, 1'000'000 - 4096}));
  EXPECT_EQ(parse_lap_log(all.text).damage, all.log.damage);
}

TEST(KeptLines, IterationsWithLongFieldsCountAsEvents) {
  KeptLines kept;
  const std::string lap = "5 i 8 a=" + std::string(991, 'x') + "\n";
  const Read all = read(kept, kKeptOpening + repeated(lap, 5000));
  EXPECT_THAT(all.log.laps, SizeIs(4194));  // 4 MiB and 132 bytes
  EXPECT_EQ(kept.dropped_events().lines, 5000 - 4194);
}

TEST(KeptLines, OfWhatIsNoLogItsFirstBytesAreKept) {
  KeptLines kept;
  EXPECT_EQ(read(kept, std::string(1 << 20, '\0')).text, std::string(4096, '\0'));
  EXPECT_EQ(read(kept, "no log\n" + std::string(100, 'x')).text, "no log\n");
}

// A time that is refused now must not be a lap for a reader who comes later.
TEST(KeptLines, ALapAfterTheEndOfTheRunIsNotKept) {
  KeptLines kept;
  LapLogReader reader(kept);
  reader.set_window({50, 1000, ""});
  reader.feed(kKeptOpening + "5 i 8\n100000901 i 8\n7 i 8\n100000900 i 8\n");  // 900 ns and 100 ms
  reader.finish();
  EXPECT_THAT(reader.log().laps, SizeIs(3));
  EXPECT_EQ(reader.log().damage->what, "a time after the end of the run");
  EXPECT_EQ(reader.text(), kKeptOpening + "5 i 8\n7 i 8\n100000900 i 8\n");
}

// The log of another host, or with a clock outside the run, is held against the run's length only.
TEST(KeptLines, ALogWithAnotherClockMayBeAsLongAsTheRun) {
  const std::string laps = "100000950 i 8\n100000951 i 8\n";
  EXPECT_THAT(parse_lap_log(kKeptOpening + laps, RunWindow{50, 1000, "other"}).laps, SizeIs(1));
  EXPECT_THAT(parse_lap_log(kKeptOpening + laps, RunWindow{150, 1100, ""}).laps, SizeIs(1));
  EXPECT_THAT(parse_lap_log(kKeptOpening + laps, RunWindow{50, 1000, ""}).laps, IsEmpty());
}

// The lines of plain laps are made of the laps again; all others are kept as they are.
TEST(KeptLines, ManyLapsAreKeptVerbatimHoweverTheyCome) {
  std::string text = kKeptOpening;
  for (int i = 1; i <= 2000; ++i) {
    const std::string at = std::to_string(10 * i);
    if (i % 500 == 0) text += at + " metric loss 1\n";
    if (i % 700 == 0) text += "00" + at + " i 8\n" + at + " i 08\n" + at + " i 8 later=1\n";
    if (i > 900 && i < 1000)
      text += at + " q 8\n" + at + " ended " + std::to_string(i) + " " + at + "\n";
    else
      text += at + " i " + std::to_string(i % 300 < 5 ? 7 : 8) + "\n";
    if (i == 1500) text += "damage\n" + at + " q 8\n";
  }
  for (const std::size_t piece : {1u, 7u, 100u, 5000u, 1u << 20}) {
    KeptLines kept;
    LapLogReader reader(kept);
    for (std::size_t at = 0; at < text.size(); at += piece) reader.feed(text.substr(at, piece));
    EXPECT_EQ(reader.text(), text) << piece;
    EXPECT_TRUE(reader.has_text());
  }
}

}  // namespace
}  // namespace lapcast

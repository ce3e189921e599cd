#include "lap/lap_log_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "lap/golden_test.h"

namespace lapcast {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kOpening = "lapcast-laps 1\n0 hello clock=100 pid=7\n";

LapLog read(const std::string& events) {
  return parse_lap_log(kOpening + events);
}

std::string first_damage(const LapLog& log) {
  return log.damage ? log.damage->what : "";
}

TEST(LapLogReader, ReadsHelloAndPlan) {
  const LapLog log = parse_lap_log(golden_lap_log("complete.log"));
  EXPECT_EQ(log.hello, (Hello{1234567890123, 1790000000.123456, 4711, 0, 1, "box", "lap.h/1"}));
  EXPECT_EQ(log.plan, (TrainingPlan{2, 0, 2, 128, 200, 50}));
  EXPECT_TRUE(log.said_bye);
  EXPECT_EQ(log.last_ns, 58003000);
  EXPECT_EQ(log.damage, std::nullopt);
}

// A lap begins where the last event that is not a metric ended: lap 0 at epoch-begin, lap 1 at lap
// 0 (not at the metric), lap 2 at epoch-begin, lap 3 at validation-end. The end of lap 1 became
// known later, and moves the end of its epoch and the begin of the validation after it.
TEST(LapLogReader, ReadsLaps) {
  const LapLog log = parse_lap_log(golden_lap_log("complete.log"));
  EXPECT_THAT(log.laps, ElementsAre(Lap{5001000, 15001000, 0, 128, 1, 0, true},
                                    Lap{15001000, 22001000, 1, 72, 1, 0, true},
                                    Lap{24006000, 44006000, 2, 128, 2, 1, true},
                                    Lap{46000000, 58000000, 3, 72, 2, 1, true}));
  EXPECT_THAT(log.phases, ElementsAre("", "224px"));
}

TEST(LapLogReader, ReadsWhatIsAroundTheLaps) {
  const LapLog log = parse_lap_log(golden_lap_log("complete.log"));
  EXPECT_THAT(log.stages,
              ElementsAre(StageSpan{"data-load", {2000, 5000000}, 0, 0, 0},
                          StageSpan{"checkpoint", {23004000, 24004000}, 1048576, 1, 2}));
  EXPECT_THAT(log.validations, ElementsAre(ValidationSpan{{22001000, 23003000}, 50, 1, false, 2},
                                           ValidationSpan{{45000000, 46000000}, 20, 2, true, 3}));
  EXPECT_THAT(log.epochs, ElementsAre(EpochSpan{1, {5001000, 22001000}, true, 0, 2, 200},
                                      EpochSpan{2, {24006000, 58001000}, true, 2, 2, 200}));
  EXPECT_THAT(log.metrics, ElementsAre(MetricPoint{"loss", 0.25, 15002000, 1, 1},
                                       MetricPoint{"val_accuracy", 0.875, 58002000, 2, 4}));
  EXPECT_THAT(log.notes, ElementsAre("hook: 2 of 4 steps were skipped, by mixed precision"));
  EXPECT_EQ(log.device_memory_bytes, 3221225472);
}

// Like a metric they lie within a lap: it still began at 10.
TEST(LapLogReader, NotesAndDeviceMemoryDoNotBeginALap) {
  const LapLog log = read("10 i 8\n12 note a  b =c\n14 device-memory 5 of=9\n20 i 8\n");
  EXPECT_THAT(log.laps, ElementsAre(Lap{0, 10, 0, 8}, Lap{10, 20, 1, 8}));
  EXPECT_THAT(log.notes, ElementsAre("a  b =c"));
  EXPECT_EQ(log.last_ns, 20);
}

TEST(LapLogReader, TheLastNumbersCountAndBeginNoLap) {
  const LapLog log =
      read("10 i 8\n12 numbers fp32\n14 sequence 9 samples=8\n16 numbers amp\n20 i 8\n");
  EXPECT_THAT(log.laps, ElementsAre(Lap{0, 10, 0, 8}, Lap{10, 20, 1, 8}));
  EXPECT_EQ(log.numbers, "amp");
  EXPECT_FALSE(log.damage);
}

TEST(LapLogReader, ReadsWhatGpusDo) {
  const LapLog log = read(
      "5 gpu 0 busy=97 memory=30 of=80 program=1\n5 gpu 1 later=3\n9 i 8\n12 gpu 1 busy=0\n20 i "
      "8\n");
  EXPECT_THAT(log.gpus,
              ElementsAre(GpuSample{5, 0, 97, 30, 80, 1}, GpuSample{.at_ns = 5, .number = 1},
                          GpuSample{.at_ns = 12, .number = 1, .busy_percent = 0}));
  EXPECT_THAT(log.laps, ElementsAre(Lap{0, 9, 0, 8}, Lap{9, 20, 1, 8}));  // it begins no lap
  EXPECT_EQ(log.damage, std::nullopt);
}

TEST(LapLogReader, RefusesAGpuThatCannotBe) {
  for (const char* line : {"5 gpu\n", "5 gpu 64\n", "5 gpu -1\n", "5 gpu 0 busy=101\n",
                           "5 gpu 0 memory=-3\n", "5 gpu 0 busy=1e2\n"}) {
    const LapLog log = read(line);
    EXPECT_THAT(log.gpus, IsEmpty()) << line;
    EXPECT_EQ(first_damage(log), "not a number") << line;
  }
  EXPECT_EQ(first_damage(read("5 gpu 0 busy\n")), "not a key=value");
}

TEST(LapLogReader, TheLargestDeviceMemoryCounts) {
  EXPECT_EQ(read("1 device-memory 5\n2 device-memory 9\n3 device-memory 7\n").device_memory_bytes,
            9);
}

TEST(LapLogReader, NotesAreBounded) {
  std::string events;
  for (int i = 0; i < 100; i++) events += "1 note number " + std::to_string(i % 70) + "\n";
  const LapLog log = read(events);
  EXPECT_THAT(log.notes, SizeIs(64));
  EXPECT_EQ(log.damage->lines, 6);  // 64 to 69, each once: those after them are known
  EXPECT_EQ(first_damage(log), "too many notes");
}

// What the format's promise lets later writers add: kinds, hello and plan keys, trailing fields.
TEST(LapLogReader, SkipsWhatItDoesNotKnow) {
  const LapLog log = parse_lap_log(golden_lap_log("unknown.log"));
  EXPECT_EQ(log.damage, std::nullopt);
  EXPECT_EQ(log.hello, (Hello{5, 1790000000, 7, 0, 1, "", "other-2.0"}));
  EXPECT_EQ(log.plan, (TrainingPlan{.steps = 40, .batch_size = 8}));
  EXPECT_THAT(log.laps, ElementsAre(Lap{10, 30, 0, 8}, Lap{30, 40, 1, 8}));
  ASSERT_THAT(log.metrics, SizeIs(2));
  EXPECT_TRUE(std::isnan(log.metrics[0].value));
  EXPECT_EQ(log.metrics[1].value, -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(log.said_bye);
}

// The first damage is line 4, after 15 + 24 + 7 bytes. Damaged are all lines but the version, the
// hello and the three laps; the last is cut off.
TEST(LapLogReader, KeepsTheLapsAroundDamageAndReportsItOnce) {
  const LapLog log = parse_lap_log(golden_lap_log("damaged.log"));
  EXPECT_THAT(log.laps, ElementsAre(Lap{0, 10, 0, 8}, Lap{10, 20, 1, 8}, Lap{20, 50, 2, 8}));
  EXPECT_EQ(log.damage, (Damage{13, 46, "no time at its beginning"}));
  EXPECT_FALSE(log.said_bye);
}

TEST(LapLogReader, NamesTheDamage) {
  EXPECT_EQ(first_damage(read("10 i 8\n9 i 8\n")), "time runs backwards");
  EXPECT_EQ(first_damage(read("10 i 2147483648\n")), "not a number");
  EXPECT_EQ(first_damage(read("10 i 8 x\n")), "not a key=value");
  EXPECT_EQ(first_damage(read("10 stage-begin a<b\n")), "not a name");
  EXPECT_EQ(first_damage(read("10\n")), "no kind of event");
  EXPECT_EQ(first_damage(read("10 note\n")), "not a note");
  EXPECT_EQ(first_damage(read("10 note \n")), "not a note");
  EXPECT_EQ(first_damage(read("10 note a\tb\n")), "not a note");
  EXPECT_EQ(first_damage(read("10 note " + std::string(401, 'x') + "\n")), "not a note");
  EXPECT_EQ(first_damage(read("10 device-memory lots\n")), "not a number");
  EXPECT_EQ(first_damage(read("1234567890123456789 i 8\n")), "no time at its beginning");
  EXPECT_EQ(first_damage(read("10 stage-end a\n")), "a stage ends that did not begin");
  EXPECT_EQ(first_damage(read("10 checkpoint-end 1\n")), "a stage ends that did not begin");
  EXPECT_EQ(first_damage(read("10 epoch-begin 1\n10 epoch-end 2\n")),
            "an epoch ends that did not begin");
  EXPECT_EQ(first_damage(read("10 metric loss 1e\n")), "not a number");
  EXPECT_EQ(first_damage(read(std::string("10 i\0008\n", 7))), "no kind of event");
  EXPECT_EQ(first_damage(read("10 i 8")), "cut off");
  EXPECT_EQ(first_damage(parse_lap_log("lapcast-laps 1\n10 i 8\n")), "an event before the hello");
  EXPECT_EQ(first_damage(parse_lap_log("lapcast-laps 1\n0 hello pid=3\n")),
            "a hello without a clock");
  EXPECT_EQ(first_damage(parse_lap_log("lapcast-laps 1\n0 hello clock=1 rank=3 world=3\n")),
            "a rank outside its world");
}

TEST(LapLogReader, ReadsNothingOfAnotherVersionOrOtherText) {
  const LapLog newer = parse_lap_log("lapcast-laps 2\n0 hello clock=100\n10 i 8\n");
  EXPECT_EQ(newer.damage, (Damage{1, 0, "another version"}));
  EXPECT_EQ(newer.hello, std::nullopt);
  EXPECT_THAT(newer.laps, IsEmpty());
  EXPECT_EQ(parse_lap_log("Hello, world\n10 i 8\n").damage, (Damage{1, 0, "not a lap log"}));
  EXPECT_EQ(parse_lap_log(std::string(1 << 20, '\0')).damage, (Damage{1, 0, "not a lap log"}));
}

TEST(LapLogReader, AnEmptyLogIsNotDamaged) {
  const LapLog log = parse_lap_log("");
  EXPECT_EQ(log.hello, std::nullopt);
  EXPECT_EQ(log.damage, std::nullopt);
}

// Two logs in one file: what follows the second hello counts its time from another moment.
TEST(LapLogReader, StopsAtASecondHello) {
  const LapLog log = read("10 i 8\n0 hello clock=900 pid=8\n20 i 8\n30 i 8\n");
  EXPECT_THAT(log.laps, SizeIs(1));
  EXPECT_EQ(log.damage, (Damage{1, 46, "a second hello"}));
}

TEST(LapLogReader, SkipsALineThatIsTooLong) {
  const std::string longest = "20 future " + std::string(4096 - 11, 'x') + "\n";
  EXPECT_EQ(read("10 i 8\n" + longest + "30 i 8\n").damage, std::nullopt);
  const LapLog log = read("10 i 8\nx" + longest + "30 i 8\n");
  EXPECT_EQ(log.damage, (Damage{1, 46, "a line of more than 4096 bytes"}));
  EXPECT_THAT(log.laps, SizeIs(2));
}

TEST(LapLogReader, AnEndlessLineCostsNoMemoryAndOneDamage) {
  LapLogReader reader;
  reader.feed(kOpening);
  const std::string piece(1 << 16, 'x');
  for (int i = 0; i < 1000; i++) reader.feed(piece);
  reader.feed("\n30 i 8\n");
  reader.finish();
  EXPECT_EQ(reader.log().damage, (Damage{1, 39, "a line of more than 4096 bytes"}));
  EXPECT_THAT(reader.log().laps, SizeIs(1));
}

TEST(LapLogReader, StagesNestAndMayCross) {
  const LapLog log = read(
      "1 stage-begin a\n2 stage-begin b\n3 stage-begin a\n4 stage-end a\n5 stage-end a\n"
      "6 stage-end b\n");
  EXPECT_THAT(log.stages,
              ElementsAre(StageSpan{"a", {3, 4}}, StageSpan{"a", {1, 5}}, StageSpan{"b", {2, 6}}));
}

TEST(LapLogReader, RefusesEndlessNesting) {
  std::string events;
  for (int i = 0; i < 65; i++) events += "1 stage-begin a\n";
  EXPECT_EQ(read(events).damage->lines, 1);
}

TEST(LapLogReader, AValidationThatBeginsAgainCountsFromThere) {
  const LapLog log = read("10 validation-begin\n20 validation-begin\n30 validation-end 5\n");
  EXPECT_THAT(log.validations, ElementsAre(ValidationSpan{{20, 30}, 5}));
  EXPECT_EQ(log.damage->lines, 1);
}

TEST(LapLogReader, AnEpochWithoutEndStaysOpen) {
  const LapLog log = read("10 epoch-begin 3\n20 i 8\n30 epoch-begin 4\n40 i 6\n50 i 6\n");
  EXPECT_THAT(log.epochs, ElementsAre(EpochSpan{3, {10, 0}, false, 0, 1, 8},
                                      EpochSpan{4, {30, 0}, false, 1, 2, 12}));
}

TEST(LapLogReader, APhaseThatReturnsKeepsItsNumber) {
  const LapLog log = read("1 phase a\n2 i 8\n3 phase b\n4 i 8\n5 phase a\n6 i 8\n");
  ASSERT_THAT(log.laps, SizeIs(3));
  EXPECT_EQ(log.laps[0].phase, 1);
  EXPECT_EQ(log.laps[1].phase, 2);
  EXPECT_EQ(log.laps[2].phase, 1);
  EXPECT_THAT(log.phases, ElementsAre("", "a", "b"));
}

// The fast reading of plain lines, which needs 64 bytes ahead, and the full one agree for every
// number of digits of the time and the samples.
TEST(LapLogReader, ReadsTimesAndSamplesOfAnyLength) {
  const std::string padding = "999999999999999999 padding-that-makes-the-reader-look-ahead\n";
  std::int64_t at = 7;
  for (int digits = 1; digits <= 18; digits++, at = at * 10 + digits % 10) {
    for (std::int32_t samples : {0, 5, 64, 1234567, 12345678, 123456789, 2147483647}) {
      const std::string line = std::to_string(at) + " q " + std::to_string(samples) + "\n";
      for (const LapLog& log : {read(line), read(line + padding)}) {
        EXPECT_THAT(log.laps, ElementsAre(Lap{0, at, 0, samples, 0, 0, false})) << line;
      }
    }
  }
}

TEST(LapLogReader, FastLinesAreAsStrictAsOthers) {
  const std::string padding = "999999 padding-that-makes-the-reader-look-ahead-at-64-bytes\n";
  for (const char* line : {"10 i  8\n", "10  i 8\n", " 10 i 8\n", "10 i 8 \n", "10 i\n",
                           "10 i 8\r\n", "1O i 8\n", "10 i 8i\n", "+10 i 8\n", "10 i -8\n"}) {
    EXPECT_EQ(read(line + padding).damage.has_value(), true) << line;
    EXPECT_THAT(read(line + padding).laps, IsEmpty()) << line;
  }
}

/// Returns whether the laps of a log that is cut off are the first ones of the whole log. Of the
/// last ones the end may not be known yet.
bool is_prefix(const std::vector<Lap>& part, const std::vector<Lap>& whole) {
  return part.size() <= whole.size() &&
         std::equal(part.begin(), part.end(), whole.begin(), [](const Lap& cut, const Lap& lap) {
           return cut == lap || (!cut.finished && cut.index == lap.index &&
                                 cut.samples == lap.samples && cut.epoch == lap.epoch);
         });
}

// The format's main promise, at every byte of every golden log.
TEST(LapLogReader, ALogCutAnywhereGivesAPrefixOfItsLaps) {
  for (const char* name :
       {"complete.log", "ended.log", "unknown.log", "damaged.log", "emitter.log"}) {
    const std::string text = golden_lap_log(name);
    ASSERT_FALSE(text.empty()) << name;
    const LapLog whole = parse_lap_log(text);
    for (std::size_t cut = 0; cut <= text.size(); cut++) {
      const LapLog part = parse_lap_log(text.substr(0, cut));
      EXPECT_TRUE(is_prefix(part.laps, whole.laps)) << name << " cut at " << cut;
      const bool at_line_end = cut == 0 || text[cut - 1] == '\n';
      if (!whole.damage) {
        EXPECT_EQ(part.damage.has_value(), !at_line_end) << name << " cut at " << cut;
      }
    }
  }
}

// Cutting the same bytes into pieces changes nothing.
TEST(LapLogReader, PiecesOfAnySizeGiveTheSameLog) {
  for (const char* name : {"complete.log", "ended.log", "damaged.log"}) {
    const std::string text = golden_lap_log(name);
    const LapLog whole = parse_lap_log(text);
    for (std::size_t size = 1; size < 60; size++) {
      LapLogReader reader;
      for (std::size_t i = 0; i < text.size(); i += size) reader.feed(text.substr(i, size));
      reader.finish();
      EXPECT_EQ(reader.log().laps, whole.laps);
      EXPECT_EQ(reader.log().stages, whole.stages);
      EXPECT_EQ(reader.log().epochs, whole.epochs);
      EXPECT_EQ(reader.log().metrics, whole.metrics);
      EXPECT_EQ(reader.log().damage, whole.damage);
    }
  }
}

TEST(LapLogReader, CanBeLookedAtWhileTheProgramWrites) {
  LapLogReader reader;
  reader.feed(kOpening);
  reader.feed("10 i 8\n20 ");
  EXPECT_THAT(reader.log().laps, SizeIs(1));
  EXPECT_EQ(reader.log().damage, std::nullopt);
  reader.feed("i 8\n");
  EXPECT_THAT(reader.log().laps, SizeIs(2));
  reader.finish();
  EXPECT_EQ(reader.log().damage, std::nullopt);
}

}  // namespace
}  // namespace lapcast

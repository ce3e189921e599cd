#include "lap/lap_log_writer.h"

#include <gtest/gtest.h>

#include <vector>

#include "lap/golden_test.h"
#include "lap/lap_log_reader.h"

namespace lapcast {
namespace {

Result<std::string> line(std::vector<std::string> words) {
  return event_line(42, words);
}

// The golden log again, word by word: what is written is what lap.h writes.
TEST(LapLogWriter, WritesTheGoldenLog) {
  std::string text =
      lap_log_opening({1234567890123, 1790000000.123456, 4711, 0, 1, "box", "lap.h/1"});
  text += plan_line(1000, {2, 0, 2, 128, 200, 50});
  const std::pair<std::int64_t, std::vector<std::string>> events[] = {
      {2000, {"stage-begin", "data-load"}},
      {5000000, {"stage-end", "data-load"}},
      {5001000, {"epoch-begin", "1"}},
      {15001000, {"iteration", "128"}},
      {15002000, {"metric", "loss", "0.25"}},
      {21001000, {"iteration-queued", "72"}},
      {21002000, {"epoch-end", "1"}},
      {21003000, {"validation-begin"}},
      {23003000, {"validation-end", "50"}},
      {23003500, {"ended", "2", "22001000"}},
      {23004000, {"checkpoint-begin"}},
      {24004000, {"checkpoint-end", "1048576"}},
      {24004500, {"device-memory", "3221225472"}},
      {24005000, {"phase", "224px"}},
      {24006000, {"epoch-begin", "2"}},
      {44006000, {"i", "128"}},
      {45000000, {"validation-begin"}},
      {46000000, {"validation-end", "20"}},
      {58000000, {"i", "72"}},
      {58001000, {"epoch-end", "2"}},
      {58002000, {"metric", "val_accuracy", "0.875"}},
      {58002500, {"note", "hook: 2 of 4 steps", "were skipped, by mixed precision"}},
      {58003000, {"bye"}},
  };
  for (const auto& [at, words] : events) text += event_line(at, words).value();
  EXPECT_EQ(text, golden_lap_log("complete.log"));
}

TEST(LapLogWriter, MakesNamesValid) {
  EXPECT_EQ(line({"phase", "a b\n<c>"}), "42 phase a_b__c_\n");
  EXPECT_EQ(line({"phase", ""}), "42 phase _\n");
  EXPECT_EQ(lap_log_name(std::string(100, 'x')), std::string(64, 'x'));
  EXPECT_EQ(lap_log_name("na\xC3\xAFve"), "na__ve");
}

TEST(LapLogWriter, MakesNotesValid) {
  EXPECT_EQ(line({"note", "na\xC3\xAFve\n\x1b[1m"}), "42 note na??ve??[1m\n");
  EXPECT_EQ(line({"note", ""}), "42 note ?\n");
  EXPECT_EQ(line({"note", std::string(500, 'x')}), "42 note " + std::string(400, 'x') + "\n");
  EXPECT_TRUE(line({"note"}).error().text.starts_with("note takes a text"));
}

TEST(LapLogWriter, SaysWhatAnEventTakes) {
  EXPECT_EQ(line({"i", "many"}).error().text, "i takes a number of samples, at most 2147483647");
  EXPECT_EQ(line({"ended", "0", "7"}).error().text,
            "ended takes the number of a lap, counted from 1, and the time of its end");
  EXPECT_EQ(line({"ended", "3", "7"}), "42 ended 3 7\n");
  EXPECT_EQ(line({"metric", "loss"}).error().text, "metric takes a name and a number");
  EXPECT_EQ(line({"plan", "epoch=3"}).error().text,
            "plan takes fields of epochs=, steps=, iterations=, batch=, train=, validation=, "
            "validate-every=, validate-from=, requests=");
  EXPECT_EQ(line({"validation-begin", "3"}).error().text, "validation-begin takes no argument");
  EXPECT_TRUE(line({}).error().text.starts_with("no event was named; events are: iteration"));
  EXPECT_TRUE(line({"hello"}).error().text.starts_with("no event is called 'hello'"));
}

TEST(LapLogWriter, PlanHasOnlyWhatIsKnown) {
  EXPECT_EQ(plan_line(1, {}), "1 plan\n");
  EXPECT_EQ(plan_line(1, {.steps = 40, .batch_size = 8}), "1 plan steps=40 batch=8\n");
  EXPECT_EQ(line({"plan", "steps=40", "batch=8"}), "42 plan steps=40 batch=8\n");
}

TEST(LapLogWriter, AGpuHasOnlyWhatIsKnown) {
  EXPECT_EQ(gpu_line({.at_ns = 7, .number = 3}), "7 gpu 3\n");
  EXPECT_EQ(gpu_line({7, 3, 97, 30, 80, 1}), "7 gpu 3 busy=97 memory=30 of=80 program=1\n");
}

TEST(LapLogWriter, AnOpeningOfUnknownsCanBeRead) {
  const LapLog log = parse_lap_log(lap_log_opening({}));
  EXPECT_EQ(log.damage, std::nullopt);
  EXPECT_EQ(log.hello->host, "_");
}

}  // namespace
}  // namespace lapcast

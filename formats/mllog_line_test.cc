#include "formats/mllog_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lapcast {
namespace {

using testing::ElementsAre;

MllogEvent event_of(std::string_view line) {
  MllogEvent event;
  EXPECT_EQ(parse_mllog_line(line, event), MllogLine::event) << line;
  return event;
}

MllogLine kind_of(std::string_view line) {
  MllogEvent event;
  return parse_mllog_line(line, event);
}

TEST(MllogLine, OfThreeGenerations) {
  const MllogEvent old = event_of(
      ":::MLPv0.5.0 ssd 1544241140.159193516 (dir (x)/main.py:251) eval_accuracy: "
      R"({"value": 0.142, "epoch": 32})");
  EXPECT_EQ(old.key, MllogKey::eval_accuracy);
  EXPECT_EQ(old.time_ns, 1'544'241'140'159'193'516);
  EXPECT_EQ(old.value, 0.142);
  EXPECT_EQ(old.epoch, 32);

  const MllogEvent middle =
      event_of(R"(:::MLL 1560901056.020 block_start: {"value": null, "metadata": )"
               R"({"first_epoch_num": 4, "epoch_count": 3, "lineno": 7}})");
  EXPECT_EQ(middle.key, MllogKey::block_start);
  EXPECT_EQ(middle.time_ns, 1'560'901'056'020'000'000);
  EXPECT_EQ(middle.epoch, 4);
  EXPECT_EQ(middle.epoch_count, 3);

  const MllogEvent now = event_of(
      R"(:::MLLOG {"namespace": "", "time_ms": 1652655176308, "event_type": "INTERVAL_END", )"
      R"("key": "run_stop", "value": null, "metadata": {"file": "f.py", "status": "success"}})");
  EXPECT_EQ(now.key, MllogKey::run_stop);
  EXPECT_EQ(now.time_ns, 1'652'655'176'308'000'000);
  EXPECT_EQ(now.text, "success");
}

TEST(MllogLine, StandsBehindRanksAndOtherText) {
  const std::string line =
      R"(:::MLLOG {"time_ms": 1652655176308, "key": "train_samples", "value": 128})";
  for (const char* prefix : {"", "0: ", "[3] ", "12: ", "[1,0]<stdout>:", "\xe4\xff worker | "}) {
    EXPECT_EQ(event_of(prefix + line).value, 128) << prefix;
  }
}

TEST(MllogLine, TheEpochOfV05IsItsValue) {
  EXPECT_EQ(event_of(":::MLPv0.5.0 ncf 1542310154.784 (f:1) train_epoch: 3").epoch, 3);
  EXPECT_EQ(event_of(":::MLPv0.5.0 ncf 1542310154 (f:1) eval_stop: 3").epoch, 3);
  EXPECT_FALSE(event_of(":::MLPv0.5.0 ncf 1542310154 (f:1) eval_start").epoch);
  EXPECT_EQ(event_of(":::MLPv0.5.0 ncf 1542310154 (f:1) run_start").text, "ncf");
  EXPECT_EQ(event_of(R"(:::MLPv0.5.0 ncf 1542310154 (f:1) run_stop: {"success": false})").text,
            "aborted");
}

TEST(MllogLine, TakesNumbersWrittenAsText) {
  EXPECT_EQ(event_of(R"(:::MLL 1561427526.999 eval_accuracy: {"value": "1.5"})").value, 1.5);
}

TEST(MllogLine, OfSeveralFiguresTheFirst) {
  EXPECT_EQ(event_of(R"(:::MLLOG {"time_ms": 1652655176308, "key": "eval_accuracy", )"
                     R"("value": {"BBOX": 0.378, "SEGM": 0.344}, "metadata": {}})")
                .value,
            0.378);
}

TEST(MllogLine, LeavesOutWhatDoesNotMatter) {
  EXPECT_EQ(kind_of("epoch 3 ended"), MllogLine::foreign);
  EXPECT_EQ(kind_of(R"(:::MLLOG {"time_ms": 1, "key": "opt_name", "value": "sgd"})"),
            MllogLine::foreign);
  EXPECT_EQ(kind_of(R"(:::MLLOG {"time_ms": 1, "key": "opt_name", "va)"), MllogLine::foreign);
}

// What is in a text or a nested object is not a key.
TEST(MllogLine, IsNotTakenInByOtherKeys) {
  EXPECT_EQ(event_of(R"(:::MLLOG {"metadata": {"key": "opt_name"}, "time_ms": 1652655176308, )"
                     R"("key": "run_start", "value": null})")
                .key,
            MllogKey::run_start);
  EXPECT_EQ(event_of(R"(:::MLLOG {"namespace": "\"key\": \"x\"", "time_ms": 1652655176308, )"
                     R"("key": "run_start", "value": null})")
                .key,
            MllogKey::run_start);
}

TEST(MllogLine, SaysWhatIsBroken) {
  for (const char* line : {
           R"(:::MLLOG {"time_ms": 1652655176308, "key": "run_start", "value": nu)",
           R"(:::MLLOG {"time_ms": 0, "key": "run_start", "value": null, "metadata": {}})",
           R"(:::MLLOG {"time_ms": 99999999999999999999, "key": "run_start", "value": 1})",
           R"(:::MLLOG {"time_ms": "yesterday", "key": "epoch_stop", "value": null})",
           R"(:::MLLOG {"time_ms": 1652655176308, "key": "run_start", "value": 1, "metadata": 3})",
           ":::MLL 1561427526.999 run_start: {",
           ":::MLL run_start",
           ":::MLPv0.5.0 ncf 99999999999999999999999 (f:1) run_start",
           ":::MLPv0.5.0 ncf 1542310154 run_start",
           ":::MLPv0.5.0 ",
       }) {
    EXPECT_EQ(kind_of(line), MllogLine::broken) << line;
  }
}

TEST(MllogLine, FactsNeedNoTime) {
  EXPECT_EQ(event_of(R"(:::MLLOG {"time_ms": 0, "key": "submission_org", "value": "Ann"})").text,
            "Ann");
}

std::vector<std::string> members_of(std::string_view text) {
  std::vector<std::string> found;
  JsonMembers members(text);
  while (members.next()) {
    found.push_back(std::string(members.key()) + "=" + std::string(members.value()));
  }
  if (!members.is_over()) found.emplace_back("broken");
  return found;
}

TEST(JsonMembers, GivesEachAsItIsWritten) {
  EXPECT_THAT(members_of(R"( { "a" : 1, "b":"x\"}" ,"c": {"d": [1, "]"]}, "e":null} behind)"),
              ElementsAre("a=1", R"(b="x\"}")", R"(c={"d": [1, "]"]})", "e=null"));
  EXPECT_THAT(members_of("{}"), ElementsAre());
}

TEST(JsonMembers, EndsWhereItIsDamaged) {
  EXPECT_THAT(members_of(R"({"a": 1, "b)"), ElementsAre("a=1", "broken"));
  EXPECT_THAT(members_of(R"({"a": {"b": 1)"), ElementsAre("broken"));
  EXPECT_THAT(members_of(R"({"a": 1 "b": 2})"), ElementsAre("a=1", "broken"));
  EXPECT_THAT(members_of(R"({"a": 1,})"), ElementsAre("a=1", "broken"));
  EXPECT_THAT(members_of("[1]"), ElementsAre("broken"));
  EXPECT_THAT(members_of(""), ElementsAre("broken"));
}

TEST(JsonMembers, DoesNotMindDepth) {
  const std::string deep(100'000, '[');
  EXPECT_THAT(members_of(R"({"a": )" + deep + std::string(100'000, ']') + "}").size(), 1U);
  EXPECT_THAT(members_of(R"({"a": )" + deep), ElementsAre("broken"));
}

TEST(JsonMembers, AnEscapedQuoteEndsNoText) {
  EXPECT_THAT(members_of(R"({"a": "\\", "b": "\\\""})"), ElementsAre(R"(a="\\")", R"(b="\\\"")"));
}

TEST(JsonValues, AreWhatTheyLookLike) {
  EXPECT_EQ(json_number("-1.5e3"), -1500);
  for (const char* text : {"", "NaN", "inf", "-Infinity", "\"1\"", "1x", "null", "+1"}) {
    EXPECT_FALSE(json_number(text)) << text;
  }
  EXPECT_EQ(json_text("\"ok\""), "ok");
  EXPECT_FALSE(json_text("ok"));
  EXPECT_FALSE(json_text("\""));
}

}  // namespace
}  // namespace lapcast

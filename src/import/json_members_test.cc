#include "import/json_members.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lapcast {
namespace {

using testing::ElementsAre;

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

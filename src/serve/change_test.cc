#include "serve/change.h"

#include <gtest/gtest.h>

#include <string>

namespace lapcast {
namespace {

TEST(Change, OfARunAndOfASweep) {
  const auto tagged = parse_change(R"({"action":"tag-run","id":"3f0c8a91d2e4","text":"baseline"})");
  ASSERT_TRUE(tagged);
  EXPECT_EQ(tagged->kind, Change::Kind::tag_run);
  EXPECT_EQ(tagged->id, "3f0c8a91d2e4");
  EXPECT_EQ(tagged->text, "baseline");
  EXPECT_EQ(parse_change(R"({"action":"name-sweep","id":"3f0c"})")->text, "");
}

TEST(Change, ARemovalIsConfirmedByTheSameId) {
  EXPECT_TRUE(parse_change(R"({"action":"remove-run","id":"3f0c","confirmed":"3f0c"})"));
  EXPECT_TRUE(parse_change(R"({"action":"remove-sweep","id":"3f0c","confirmed":"3f0c"})"));
  for (const char* body : {R"({"action":"remove-run","id":"3f0c"})",
                           R"({"action":"remove-run","id":"3f0c","confirmed":true})",
                           R"({"action":"remove-sweep","id":"3f0c","confirmed":"3f0d"})"})
    EXPECT_EQ(parse_change(body).error().text, "the removal is not confirmed") << body;
}

TEST(Change, AnythingElseIsRefused) {
  for (const std::string body :
       {"", "{", "[]", "null", "3", R"({"action":"drop","id":"3f0c"})", R"({"action":"tag-run"})",
        R"({"action":"tag-run","id":"../x"})", R"({"action":"tag-run","id":["3f0c"]})",
        "{\"action\":\"tag-run\",\"id\":\"3f0c\",\"text\":\"a\\u001b[2J\"}"})
    EXPECT_FALSE(parse_change(body)) << body;
  EXPECT_FALSE(parse_change(std::string(1 << 20, '[')));
  EXPECT_FALSE(
      parse_change(R"({"action":"tag-run","id":"3f0c","text":")" + std::string(201, 'x') + "\"}"));
}

}  // namespace
}  // namespace lapcast

#include "report/yaml_text.h"

#include <gtest/gtest.h>

namespace lapcast {
namespace {

TEST(YamlScalar, IsTextWhateverItLooksLike) {
  EXPECT_EQ(yaml_scalar(""), R"("")");
  EXPECT_EQ(yaml_scalar("yes"), R"("yes")");
  EXPECT_EQ(yaml_scalar("1e3: &a *b !c # d"), R"("1e3: &a *b !c # d")");
}

TEST(YamlScalar, CannotBeLeft) {
  EXPECT_EQ(yaml_scalar("a\"\nrun: rm"), R"("a\"\nrun: rm")");
  EXPECT_EQ(yaml_scalar("a\\"), R"("a\\")");
  EXPECT_EQ(yaml_scalar(std::string_view("\0\x1b\x7f\t\r", 5)), R"("\x00\x1B\x7F\t\x0D")");
}

TEST(YamlScalar, IsAscii) {
  EXPECT_EQ(yaml_scalar("\xC3\xA4"), R"("\xE4")");                  // ä
  EXPECT_EQ(yaml_scalar("\xC2\x85"), R"("\x85")");                  // next line
  EXPECT_EQ(yaml_scalar("\xE2\x80\xA8"), R"("\u2028")");            // line separator
  EXPECT_EQ(yaml_scalar("\xF0\x9F\x98\x80!"), R"("\U0001F600!")");  // outside the BMP
}

TEST(YamlBlock, TakesLinesAsTheyAre) {
  EXPECT_EQ(yaml_block("export A=1\nexec './a: \"b\"' # c\n"),
            "|\n  export A=1\n  exec './a: \"b\"' # c\n");
}

TEST(YamlBlock, LeavesTheRestToTheScalar) {
  EXPECT_EQ(yaml_block(" indented\n"), "\" indented\\n\"\n");
  EXPECT_EQ(yaml_block("a\n\nb\n"), "\"a\\n\\nb\\n\"\n");
  EXPECT_EQ(yaml_block("a\tb\n"), "\"a\\tb\\n\"\n");
  EXPECT_EQ(yaml_block("no end"), "\"no end\"\n");
}

TEST(YamlComment, IsOneLineAfterTheOther) {
  EXPECT_EQ(yaml_comment("a\nrun: rm\x1b[2J\x7f"), "# a run: rm??\n");
  EXPECT_EQ(yaml_comment("\xEF\xBF\xBF"), "# ?\n");
  EXPECT_EQ(yaml_comment(std::string(60, 'a') + " " + std::string(60, 'b')),
            "# " + std::string(60, 'a') + "\n# " + std::string(60, 'b') + "\n");
  EXPECT_EQ(yaml_comment(std::string(150, 'a')), "# " + std::string(150, 'a') + "\n");
}

}  // namespace
}  // namespace lapcast

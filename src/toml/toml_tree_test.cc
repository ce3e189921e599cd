#include "toml/toml_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace lapcast {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string problem(const std::string& text) {
  try {
    check_toml_shape(text, "f");
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

TEST(TomlShape, LettersMayStandInQuotesAndComments) {
  EXPECT_EQ(problem("# é\na = \"é\" # \"é\nb = 'é'\nc = \"\\\"é\\\\\" # é\nd = 'é\\' # é"),
            "nothing");
}

TEST(TomlShape, LettersOutsideAreRefused) {
  EXPECT_EQ(problem("a = 1\ncaf\xc3\xa9 = 1"), "f:2:4: a letter outside ASCII; put it in quotes");
  EXPECT_THAT(problem("a = \"x\"\xc3\xa9"), StartsWith("f:1:8:"));
  EXPECT_THAT(problem("a = '\\'\xc3\xa9"), StartsWith("f:1:8:"));  // no escapes in '...'
  EXPECT_THAT(problem("a = '' \xc3\xa9"), StartsWith("f:1:8:"));
  EXPECT_THAT(problem("a = '''x''\n''''' \xc3\xa9"), StartsWith("f:2:7:"));
}

TEST(TomlShape, QuotesStandAtTheBeginningOfAWord) {
  EXPECT_EQ(problem("\"b\"={c='d',e=['f','g']}\n"), "nothing");
  EXPECT_EQ(problem("a = 20'1'"),
            "f:1:7: a quote in the middle of a word; put all of it in quotes");
  EXPECT_THAT(problem("a = 'b'\"c\""), StartsWith("f:1:8: a quote"));
}

// Found by fuzzing: the parser takes A=0q*.'~ as one broken word, and no quotes for quotes.
TEST(TomlShape, QuotesBehindADotAreRefused) {
  EXPECT_THAT(problem("A=0q00H0*........'~;\xc8\x95"), StartsWith("f:1:18: a quote behind a dot"));
  EXPECT_THAT(problem("'a'.\"b\"=1"), StartsWith("f:1:5: a quote behind a dot"));
}

TEST(TomlShape, QuotesInABrokenWordAreRefused) {
  for (const char* text : {"A=0q='", "A=0q['", "A=0q{'", "A=0q=['", "A=0q{b='", "A = 0q[{b=[{'"})
    EXPECT_THAT(problem(text), HasSubstr("a quote in the middle of a word")) << text;
  for (const char* text : {"a='b'", "['a','b']", "[['a']]", "a=[['b'],{c='d',e={'f'='g'}}]\n'h'=1"})
    EXPECT_EQ(problem(text), "nothing") << text;
}

TEST(TomlShape, LettersInTextsOfSeveralLinesAreRefused) {
  EXPECT_THAT(problem("a = \"\"\"\nx\xc3\xa9"),
              HasSubstr("f:2:2: a letter outside ASCII in a text"));
  EXPECT_THAT(problem("a = '''\n\xc3\xa9"), HasSubstr("of several lines"));
}

TEST(TomlShape, ControlCharactersAreRefusedEverywhere) {
  EXPECT_THAT(problem("# \x1b"), HasSubstr("f:1:3: a control character"));
  EXPECT_THAT(problem(std::string("a = \"\0\"", 7)), HasSubstr("f:1:6: a control character"));
  EXPECT_EQ(problem("a\t= 1\r\n"), "nothing");
}

TEST(TomlShape, DotsCountOutsideQuotesInALine) {
  const std::string dots(150, '.');
  EXPECT_EQ(problem(dots + "\n" + dots), "nothing");
  EXPECT_EQ(problem("a = '" + dots + dots + "' # " + dots + dots), "nothing");
  EXPECT_EQ(problem("a = 1\n" + dots + dots), "f:2:201: more than 200 dots in one line");
}

}  // namespace
}  // namespace lapcast

#include "data/clean_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "common/random.h"

namespace lapcast::workloads {
namespace {

using Words = std::vector<std::string>;

Words words_of(std::string_view text) {
  Words words;
  WordReader reader(text);
  for (std::string_view word = reader.next(); !word.empty(); word = reader.next()) {
    words.emplace_back(word);
  }
  return words;
}

TEST(WordReader, RemovesPunctuationAndCapitals) {
  EXPECT_EQ(words_of("It's a GREAT film -- (10/10)!<br />Don't miss it."),
            (Words{"its", "a", "great", "film", "10", "10", "br", "dont", "miss", "it"}));
  EXPECT_EQ(words_of(""), Words{});
  EXPECT_EQ(words_of(" .,'\n\t"), Words{});
  EXPECT_EQ(words_of(std::string_view("a\0b", 3)), (Words{"a", "b"}));
}

TEST(WordReader, KnowsCharactersOfSeveralBytes) {
  // Latin-1's letters become small; its symbols, dashes, quotes and spaces end words.
  EXPECT_EQ(words_of("AM\u00c9LIE \u00abna\u00efve\u00bb 3\u00d74\u00a0\u20ac"),
            (Words{"am\u00e9lie", "na\u00efve", "3", "4"}));
  EXPECT_EQ(words_of("wait\u2026what\u2014isn\u2019t \u201cso\u201d"),
            (Words{"wait", "what", "isnt", "so"}));
  EXPECT_EQ(words_of("\ufeff\u6620\u753b\u3002\u6620 \U0001d11e"),
            (Words{"\u6620\u753b", "\u6620", "\U0001d11e"}));
}

TEST(WordReader, KeepsTheBeginningOfALongWord) {
  EXPECT_EQ(words_of(std::string(70, 'A') + " b"), (Words{std::string(64, 'a'), "b"}));
  // 63 bytes leave no place for a character of two.
  EXPECT_EQ(words_of(std::string(63, 'a') + "\u00e9"), (Words{std::string(63, 'a')}));
}

TEST(FirstFault, IsTheFirstByteThatIsNotUtf8) {
  const std::string good = "plain ASCII of more than eight bytes, \u00e9\u20ac\U0001f600";
  EXPECT_FALSE(first_fault_in_utf8(good));
  EXPECT_FALSE(first_fault_in_utf8(""));
  // A later byte alone, forms that are too long, a surrogate, too large, cut, 0xff.
  for (const char* bad : {"\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf",
                          "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf5", "\xe2\x82", "\xff"}) {
    EXPECT_EQ(first_fault_in_utf8(good + bad), good.size()) << testing::PrintToString(bad);
    EXPECT_EQ(first_fault_in_utf8("12345678" + std::string(bad) + "123456789"), 8u);
  }
}

TEST(StopWords, AreSortedAndHaveThePapersExamples) {
  const auto words = stop_words();
  EXPECT_TRUE(std::is_sorted(words.begin(), words.end()));
  for (const char* word : {"a", "hello", "just", "too", "with", "you"}) {
    EXPECT_TRUE(std::binary_search(words.begin(), words.end(), word)) << word;
  }
  EXPECT_FALSE(std::binary_search(words.begin(), words.end(), "never"));
}

/// Checks that any bytes become words of bounded length, and that the reader ends.
TEST(WordReader, SurvivesAnyBytes) {
  Random random(7);
  for (int round = 0; round < 200; ++round) {
    std::string text(random.below(100), ' ');
    for (char& c : text) c = static_cast<char>(random.bits());
    for (const std::string& word : words_of(text)) EXPECT_LE(word.size(), WordReader::kLongest);
  }
}

}  // namespace
}  // namespace lapcast::workloads

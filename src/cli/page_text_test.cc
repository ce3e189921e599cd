#include "cli/page_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "cli/pages.h"
#include "core/display_width.h"

namespace lapcast {
namespace {

TEST(PageText, WrapsProseAndItems) {
  EXPECT_EQ(page_text("# A page\nSome **words** that\ngo on for a while, and then end.\n\n"
                      "- an item that is longer than the line that it stands on\n"
                      "- `a **b** [c](d)`\n",
                      40, false),
            "A page\n"
            "Some words that go on for a while, and\n"
            "then end.\n"
            "\n"
            "- an item that is longer than the line\n"
            "  that it stands on\n"
            "- `a **b** [c](d)`\n");
}

TEST(PageText, HeadingsAreBoldWhereThereAreColours) {
  EXPECT_EQ(page_text("## A page", 40, true), "\x1b[1mA page\x1b[0m\n");
}

TEST(PageText, LinksSayWhatToType) {
  EXPECT_EQ(page_text("See [the store](store.md#tables) and [limits.md](limits.md).", 80, false),
            "See the store (lapcast help store.md) and lapcast help limits.md.\n");
  EXPECT_EQ(page_text("[runs](../suite/docs/suite.md#run), [notes](../NOTES.md)", 80, false),
            "runs (lapcast help suite.md), notes\n");
  EXPECT_EQ(page_text("[here](#there), [code](../src/a.cc), [a](https://b.c)", 80, false),
            "here, code, a (https://b.c)\n");
}

TEST(PageText, CodeIsIndentedAndKeptAsItIs) {
  EXPECT_EQ(page_text("```sh\nlapcast  rank | head\n\n# no heading\n```\n", 40, false),
            "  lapcast  rank | head\n\n  # no heading\n");
}

TEST(PageText, CommentsAreForThoseWhoWriteThePage) {
  EXPECT_EQ(
      page_text("Prose\n<!-- output of: lapcast rank -->\n```\n$ lapcast rank\n```\n", 40, false),
      "Prose\n  $ lapcast rank\n");
}

TEST(PageText, TablesFit) {
  EXPECT_EQ(page_text("| key | meaning |\n|---|---|\n| `a\\|b` | x |\n", 40, false),
            "key    meaning\n"
            "-----  -------\n"
            "`a|b`  x\n");
  EXPECT_EQ(page_text("| key | meaning |\n|---|---|\n"
                      "| a | words that are too long for what is left of the line |\n",
                      40, false),
            "key  meaning\n"
            "---  -----------------------------------\n"
            "a    words that are too long for what is\n"
            "     left of the line\n");
}

TEST(PageText, EveryPageFitsEveryTerminal) {
  for (const Page& page : pages())
    for (const std::size_t width : {80U, 120U}) {
      std::istringstream lines(page_text(page.text, width, false));
      for (std::string line; std::getline(lines, line);)
        EXPECT_LE(display_width(line), width) << page.name << ": " << line;
    }
}

}  // namespace
}  // namespace lapcast

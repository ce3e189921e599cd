#include "remote/shell_quote.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "core/error.h"
#include "machine/system_command.h"

namespace lapcast {
namespace {

TEST(ShellQuote, PlainWordsStayReadable) {
  EXPECT_EQ(shell_quote("train.py"), "train.py");
  EXPECT_EQ(shell_quote("--batch"), "--batch");
  EXPECT_EQ(shell_quote("/data/a-b_c:1,2@x+"), "/data/a-b_c:1,2@x+");
}

TEST(ShellQuote, AllElseIsQuoted) {
  EXPECT_EQ(shell_quote(""), "''");
  EXPECT_EQ(shell_quote("two words"), "'two words'");
  EXPECT_EQ(shell_quote("$(reboot)"), "'$(reboot)'");
  EXPECT_EQ(shell_quote("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quote("a\\b!"), "'a'\\\\'b'\\!''");
  EXPECT_EQ(shell_quote("~"), "'~'");
  EXPECT_EQ(shell_quote("%self"), "'%self'");  // fish
  EXPECT_EQ(shell_quote("a=b"), "'a=b'");
}

TEST(ShellQuote, ACommandIsItsWords) {
  EXPECT_EQ(shell_command({"echo", "a b", ""}), "echo 'a b' ''");
  EXPECT_EQ(shell_command({}), "");
}

TEST(ShellQuote, ANulByteIsRefused) {
  EXPECT_THROW(shell_quote(std::string_view("a\0b", 3)), Error);
}

/// Every byte but NUL, words that look like syntax, and what shells are known to stumble over.
std::vector<std::string> evil_words(bool line_breaks) {
  std::string every_byte;
  for (int byte = 1; byte < 256; ++byte)
    if (byte != '\n' || line_breaks) every_byte += static_cast<char>(byte);
  std::vector<std::string> words = {
      "",       "-n", "a'b\"c", "\\",       "'\\''", "!!",       "!a",       "`id`",    "$HOME",
      "${x}",   "*",  "{a,b}",  "~",        "#",     "a\tb",     "%self",    "^a^b",    "\\'",
      "\\\\\\", "'",  "=ls",    "$'\\x41'", "&& id", "> /tmp/x", every_byte, "\x80\xff"};
  if (line_breaks) words.insert(words.end(), {"a\nb", "\n", "\\\n", "'\n'"});
  return words;
}

class EveryShell : public testing::TestWithParam<const char*> {};

TEST_P(EveryShell, ReadsTheSameBytesBack) {
  const std::string shell = GetParam();
  const bool is_csh = shell.ends_with("csh");
  const std::vector<std::string> words = evil_words(!is_csh);
  // printf of the system, not the shell's: it writes each argument and a '|'.
  std::vector<std::string> command{"/usr/bin/printf", "%s|"};
  command.insert(command.end(), words.begin(), words.end());
  std::string expected;
  for (const std::string& word : words) expected += word + "|";
  const auto printed =
      output_of({shell, "-c", shell_command(command)}, std::chrono::milliseconds{10'000});
  if (!printed && printed.error().text.find("cannot be started") != std::string::npos)
    GTEST_SKIP() << "no " << shell << " here";
  ASSERT_TRUE(printed) << printed.error().text;
  EXPECT_EQ(*printed, expected);
}

INSTANTIATE_TEST_SUITE_P(ShellQuote, EveryShell,
                         testing::Values("sh", "bash", "dash", "ksh", "zsh", "fish", "tcsh"));

}  // namespace
}  // namespace lapcast

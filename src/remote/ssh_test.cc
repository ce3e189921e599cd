#include "remote/ssh.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "posix/spawn.h"
#include "remote/host.h"

namespace lapcast {
namespace {

using testing::Contains;
using testing::HasSubstr;

TEST(Ssh, NeverAsksNeverTrustsNeverForwards) {
  const auto arguments = ssh_arguments(SshPlace{"box"});
  for (const char* option : {"BatchMode=yes", "StrictHostKeyChecking=yes", "ForwardAgent=no",
                             "ForwardX11=no", "ClearAllForwardings=yes", "PermitLocalCommand=no"})
    EXPECT_THAT(arguments, Contains(option));
}

TEST(Ssh, AConfigOfItsOwnReplacesTheUsers) {
  const SshPlace own{"lapcast-5cb6fbbacaca", "/state/ssh config", "~/known hosts"};
  const auto arguments = ssh_arguments(own);
  const auto config = std::ranges::find(arguments, "-F");
  ASSERT_NE(config, arguments.end());
  EXPECT_EQ(*(config + 1), own.config);
  EXPECT_THAT(arguments, Contains("UserKnownHostsFile=\"~/known hosts\""));
  // Another machine may get the address: the name of its shared connection is the machine's own.
  EXPECT_THAT(arguments, Contains(testing::EndsWith("/lapcast-5cb6fbbacaca")));
  EXPECT_THAT(relay_words(own),
              testing::ElementsAre("--config", own.config, "--known-hosts", own.known_hosts));
  EXPECT_THAT(relay_words(SshPlace{"box"}), testing::IsEmpty());
}

TEST(Ssh, ACommandStandsBehindItsMarkerAndIsQuoted) {
  const auto arguments = ssh_command(SshPlace{"box"}, {"echo", "$(id)"}, "mark");
  EXPECT_EQ(arguments[arguments.size() - 2], "box");
  EXPECT_EQ(arguments.back(), "echo; echo mark; exec echo '$(id)'");
}

struct Case {
  const char* error;
  const char* fix;
  bool passes;
};

class SshTroubles : public testing::TestWithParam<Case> {};

TEST_P(SshTroubles, HaveTheirFix) {
  const SshTrouble trouble = explain_ssh("box", GetParam().error);
  EXPECT_THAT(trouble.text, HasSubstr(GetParam().fix));
  EXPECT_THAT(trouble.text, HasSubstr("box"));
  EXPECT_EQ(trouble.passes, GetParam().passes);
}

// As OpenSSH 9.2 prints them.
INSTANTIATE_TEST_SUITE_P(
    Ssh, SshTroubles,
    testing::Values(
        Case{"@@@@\n@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\n@@@@\n"
             "Host key verification failed.\r\n",
             "ssh-keygen -R box", false},
        Case{"No ED25519 host key is known for box and you have requested strict checking.\r\n"
             "Host key verification failed.\r\n",
             "connect once by hand", false},
        Case{"me@box: Permission denied (publickey,password).\r\n", "ssh-copy-id box", false},
        Case{"ssh: Could not resolve hostname box: Name or service not known\r\n", "Host entry",
             false},
        Case{"ssh: Could not resolve hostname box: Temporary failure in name resolution\r\n",
             "network", true},
        Case{"ssh: connect to host box port 22: Connection refused\r\n", "no ssh server answers",
             true},
        Case{"ssh: connect to host box port 22: Connection timed out\r\n", "switched on", true},
        Case{"client_loop: send disconnect: Broken pipe\r\n", "Broken pipe", true},
        Case{"", "the link to box broke", true}));

TEST(Ssh, NamesOfHostsHoldNothingThatIsAnOptionOrAPath) {
  for (const char* name : {"gpu-box", "me@10.0.0.1", "a.b_c"})
    EXPECT_TRUE(is_host_name(name)) << name;
  for (const char* name : {"", "-oProxyCommand=id", "a b", "a;b", "a:b", "a/b", "$(id)", "a\n"})
    EXPECT_FALSE(is_host_name(name)) << name;
  EXPECT_THROW(SshHost("-oProxyCommand=id"), Error);
}

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

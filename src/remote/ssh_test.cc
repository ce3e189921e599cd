#include "remote/ssh.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "remote/host.h"

namespace lapcast {
namespace {

using testing::Contains;
using testing::HasSubstr;

TEST(Ssh, NeverAsksNeverTrustsNeverForwards) {
  const auto arguments = ssh_arguments();
  for (const char* option : {"BatchMode=yes", "StrictHostKeyChecking=yes", "ForwardAgent=no",
                             "ForwardX11=no", "ClearAllForwardings=yes", "PermitLocalCommand=no"})
    EXPECT_THAT(arguments, Contains(option));
}

TEST(Ssh, ACommandStandsBehindItsMarkerAndIsQuoted) {
  const auto arguments = ssh_command("box", {"echo", "$(id)"}, "mark");
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

}  // namespace
}  // namespace lapcast

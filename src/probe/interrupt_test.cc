#include "probe/interrupt.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "posix/spawn.h"

namespace lapcast {
namespace {

TEST(Interrupt, ASignalCounts) {
  const Interrupt interrupt;
  raise(SIGTERM);
  EXPECT_EQ(interrupt.count(), 1);
  kill(getpid(), SIGINT);
  EXPECT_EQ(interrupt.count_after(Seconds{5}), 2);
}

// As a program does that is in lapcast's process group and ends all of it.
TEST(Interrupt, ASignalFromBelowIsNoneOfOurs) {
  const Interrupt interrupt;
  const auto child = spawn({.arguments = {"sh", "-c", "kill -TERM $PPID; sleep 0.1"}});
  ASSERT_TRUE(child);
  wait_for(*child);
  const auto grandchild =
      spawn({.arguments = {"sh", "-c", "sh -c \"kill -HUP $PPID; sleep 0.1\"; true"}});
  ASSERT_TRUE(grandchild);
  wait_for(*grandchild);
  EXPECT_EQ(interrupt.count(), 0);
}

}  // namespace
}  // namespace lapcast

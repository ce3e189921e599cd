#include "remote/host_check.h"

#include <gtest/gtest.h>

namespace lapcast {
namespace {

TEST(MachineFacts, DescribeThisMachine) {
  const MachineFacts facts = facts_of_this_machine("/tmp");
  EXPECT_GT(facts.disk_bytes, 0);
  EXPECT_GT(facts.machine.threads, 0);
}

}  // namespace
}  // namespace lapcast

#include "remote/machine_facts.h"

#include <gtest/gtest.h>

namespace lapcast {
namespace {

TEST(MachineFacts, ThereAndBack) {
  MachineFacts facts;
  facts.machine.host = "box";
  facts.machine.threads = 8;
  facts.machine.accelerators = {{"nvidia", "NVIDIA H200", "550.54", 1 << 30, ""}};
  facts.folder = "/home/me/.cache/lapcast";
  facts.disk_free_bytes = 5'000'000'000;
  facts.disk_bytes = 9'000'000'000;
  facts.python = "3.11.2";
  facts.torch = "2.13.0+cpu";
  facts.programs = {"rsync", "sbatch"};
  const auto back = facts_from_lines(to_lines(facts));
  ASSERT_TRUE(back) << back.error().text;
  EXPECT_EQ(*back, facts);
}

TEST(MachineFacts, WhatIsCutOffOrHostileIsAReasonOrHarmless) {
  const std::string lines = to_lines({});
  EXPECT_FALSE(facts_from_lines(""));
  EXPECT_FALSE(facts_from_lines(lines.substr(0, lines.size() - 4)));
  EXPECT_FALSE(facts_from_lines("machine {}\nend\n"));
  EXPECT_FALSE(facts_from_lines("end\n"));
  const auto facts = facts_from_lines("torch \x1b[2J\ndisk -5\ndisk_free 99999999999999999999\n" + lines);
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->torch.find('\x1b'), std::string::npos);
  EXPECT_EQ(facts->disk_free_bytes, 0);
}

TEST(MachineFacts, OfThisMachine) {
  const MachineFacts facts = facts_of_this_machine("/tmp");
  EXPECT_GT(facts.disk_bytes, 0);
  EXPECT_GT(facts.machine.threads, 0);
}

}  // namespace
}  // namespace lapcast

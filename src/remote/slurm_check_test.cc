#include "remote/slurm_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lapcast {
namespace {

using testing::HasSubstr;

NodeAnswer explain(const char* words, int status = 1) {
  return explain_srun(status, words, Seconds{20});
}

TEST(ExplainSrun, NoFreeNodeIsNoFault) {
  for (const char* words :
       {"srun: error: Unable to allocate resources: Requested nodes are busy",
        "srun: error: Unable to allocate resources: Immediate execution impossible, insufficient "
        "priority",
        "srun: error: Job allocation 7 has been revoked"}) {
    EXPECT_TRUE(explain(words).is_busy) << words;
    EXPECT_THAT(explain(words).why, HasSubstr("none was free within 20.0 s"));
  }
  EXPECT_TRUE(explain("", 124).is_busy);
}

TEST(ExplainSrun, AFolderThatIsNotShared) {
  const NodeAnswer answer = explain(
      "slurmstepd: error: execve(): bin/lapcast-1: No such file or directory\nsrun: error: x", 2);
  EXPECT_FALSE(answer.is_busy);
  EXPECT_THAT(answer.why, HasSubstr("folder = \"...\""));
}

TEST(ExplainSrun, WhatItRefusesIsLacking) {
  const NodeAnswer answer =
      explain("srun: error: Unable to allocate resources: Invalid partition name \x1b[31m\n");
  EXPECT_FALSE(answer.is_busy);
  EXPECT_THAT(answer.why, HasSubstr("a node that answers: srun: error: Unable"));
  EXPECT_EQ(answer.why.find('\x1b'), std::string::npos);
}

TEST(PowersNodesUp, WhereAResumeProgramIsNamed) {
  EXPECT_TRUE(
      powers_nodes_up("ReconfigFlags           = (null)\nResumeProgram           = /etc/r\n"));
  EXPECT_FALSE(powers_nodes_up("ResumeProgram           = (null)\nResumeRate = 300 nodes/min\n"));
  EXPECT_FALSE(powers_nodes_up(""));
}

TEST(NodeThatIsUp, IsNotOneThatIsPoweredDownOrUpOrBusy) {
  const char* sinfo =
      "a idle~ gpu\nb idle# gpu\nc alloc gpu\nd down* gpu\ne idle fast\nf mix gpu,fast\n";
  EXPECT_EQ(node_that_is_up(sinfo, ""), "e");
  EXPECT_EQ(node_that_is_up(sinfo, "gpu&fast"), "f");
  EXPECT_EQ(node_that_is_up(sinfo, "slow"), std::nullopt);
  EXPECT_EQ(node_that_is_up("a idle~ gpu\n", "gpu"), std::nullopt);
  EXPECT_EQ(node_that_is_up("", ""), std::nullopt);
}

TEST(WhyNoneIsUsable, SaysInWhichStatesTheNodesOfThePlaceAre) {
  NodeType good{.features = {"fast"}, .nodes = 2, .usable = 1, .states = {"down"}};
  NodeType bad{.features = {"slow"}, .nodes = 2, .usable = 0, .states = {"drained", "down"}};
  NodeType kept{.features = {"kept"}, .nodes = 1, .usable = 0, .states = {"reserved"}};
  const std::vector types{good, bad, kept};
  EXPECT_EQ(why_none_is_usable(types, {}), "");
  EXPECT_EQ(why_none_is_usable(types, {.constraint = "fast"}), "");
  EXPECT_EQ(why_none_is_usable(types, {.constraint = "slow"}), "drained or down");
  EXPECT_EQ(why_none_is_usable(types, {.constraint = "fast|slow"}), "");
  EXPECT_EQ(why_none_is_usable(types, {.constraint = "kept"}), "reserved");
  EXPECT_EQ(why_none_is_usable(types, {.constraint = "kept", .flags = {"--reservation=mine"}}), "");
  EXPECT_EQ(why_none_is_usable({}, {}), "");
}

}  // namespace
}  // namespace lapcast

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

}  // namespace
}  // namespace lapcast

#include "remote/slurm_submission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lapcast {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;
using testing::StartsWith;

std::string job_name(const std::string& machine, const std::string& group,
                     RunKind kind = RunKind::probe) {
  RunContext context;
  context.id = "0123456789ab";
  context.kind = kind;
  context.machine_type.name = machine;
  return slurm_job_name(context, group);
}

TEST(SlurmJobName, IsThatOfTheMachineOrItsGroup) {
  EXPECT_EQ(job_name("gpu-64c-4xa100", ""), "lapcast-gpu-64c-4xa100");
  EXPECT_EQ(job_name("a", "node 7"), "lapcast-group-node_7-5ae490a0");
  EXPECT_NE(job_name("a/b", ""), job_name("a b", ""));
  EXPECT_LT(job_name(std::string(5000, 'x'), "").size(), 90u);
  EXPECT_THAT(job_name("$(rm -rf /)", ""), Not(HasSubstr("$")));
}

TEST(SlurmJobName, ATrainingWaitsForItsGroupAlone) {
  EXPECT_EQ(job_name("a", "", RunKind::full), "lapcast-a-0123456789ab");
  EXPECT_EQ(job_name("a", "g", RunKind::full), job_name("a", "g"));
}

TEST(SbatchCommand, AsksForWhatThePlaceSays) {
  SlurmPlace place{"", "gpu", "avx2&ib", "gpu:a100:4", "physics", 90'000'000'000, {"--exclusive"}};
  RunContext context;
  context.id = "0123456789ab";
  const auto command = sbatch_command(place, context, "lapcast-x", "/home/u/runs/0123456789ab");
  EXPECT_THAT(command, IsSupersetOf({"--parsable", "--job-name=lapcast-x", "--dependency=singleton",
                                     "--chdir=/home/u/runs/0123456789ab", "--partition=gpu",
                                     "--constraint=avx2&ib", "--gres=gpu:a100:4", "--requeue",
                                     "--account=physics", "--time=0:01:30"}));
  EXPECT_EQ(command.back(), "--exclusive");
  const auto plain = sbatch_command({}, context, "lapcast-x", "/f");
  EXPECT_THAT(plain, Not(Contains(StartsWith("--partition"))));
  EXPECT_THAT(plain, Not(Contains(StartsWith("--time"))));
}

TEST(SbatchCommand, AsksForNodesAndTheirGpus) {
  RunContext context;
  const auto command =
      sbatch_command({.flags = {"--nodes=3"}, .nodes = 2, .gpus = 4}, context, "x", "/f");
  EXPECT_THAT(command, IsSupersetOf({"--nodes=2", "--gpus-per-node=4"}));
  EXPECT_THAT(command, Not(Contains("--ntasks=1")));
  EXPECT_EQ(command.back(), "--nodes=3");  // the last one wins
  EXPECT_THAT(sbatch_command({}, context, "x", "/f"), IsSupersetOf({"--nodes=1", "--ntasks=1"}));
  EXPECT_THAT(size_options(SlurmPlace{.gpus = 8}), ElementsAre("--nodes=1"));
  EXPECT_THAT(srun_command({.nodes = 2, .gpus = 4}, Seconds{20}),
              IsSupersetOf({"--nodes=1", "--gpus-per-node=4"}));
}

TEST(SbatchCommand, AsksForTheTimeOfATrainingInsteadOfThatOfProbes) {
  Place place = SlurmPlace{.time_limit_ns = 90'000'000'000,
                           .flags = {"--time-min=1", "--exclusive", "--time=5"}};
  ask_for_time(place, 3'600'000'000'000);
  EXPECT_THAT(queue_options(place), ElementsAre("--time=1:00:00", "--exclusive"));
  ask_for_time(place, kNoTimeLimit);
  EXPECT_THAT(queue_options(place), ElementsAre("--time=UNLIMITED", "--exclusive"));
  Place here = LocalPlace{};
  ask_for_time(here, 1);
  EXPECT_EQ(here, Place(LocalPlace{}));
}

TEST(SrunCommand, AsksForTheSameNodesAndDoesNotWaitLong) {
  const SlurmPlace place{"login", "gpu", "avx2", "gpu:1", "me", 3'600'000'000'000, {"--exclusive"}};
  const auto command = srun_command(place, Seconds{20});
  EXPECT_THAT(command, IsSupersetOf({"srun", "--immediate=20", "--nodes=1", "--ntasks=1",
                                     "--time=2", "--partition=gpu", "--constraint=avx2",
                                     "--gres=gpu:1", "--account=me"}));
  EXPECT_EQ(command.back(), "--exclusive");
  EXPECT_THAT(srun_command({}, Seconds{0.2}), Contains("--immediate=1"));  // 0 would be for ever
}

TEST(SlurmScript, QuotesItsPaths) {
  const std::string script = slurm_script("/opt/my tool/lapcast", "/home/$USER/runs/r1");
  EXPECT_THAT(script, StartsWith("#!/bin/sh\n"));
  EXPECT_THAT(script, HasSubstr("exec '/opt/my tool/lapcast' agent record \"$life\"\n"));
  EXPECT_THAT(script, HasSubstr("life='/home/$USER/runs/r1'.$SLURM_JOB_ID"));
  EXPECT_THAT(script, HasSubstr("for d in '/home/$USER/runs/r1'.*.*; do\n"));
}

TEST(SlurmLives, AreReadFromTheFrontOfALook) {
  std::string_view text = "L.17.0\nE.17.0\nL.17.2\nE.17.1\nE.rubbish\n17|RUNNING\n";
  EXPECT_EQ(take_lives(text), (SlurmLives{SlurmLife{17, 2}, SlurmLife{17, 0}}));
  EXPECT_EQ(text, "17|RUNNING\n");
  text = "L.17.0\nE.17";  // the rest is on its way
  EXPECT_EQ(take_lives(text), (SlurmLives{SlurmLife{17, 0}, std::nullopt}));
  EXPECT_EQ(text, "E.17");
  text = "";
  EXPECT_EQ(take_lives(text), SlurmLives{});
}

TEST(SlurmLife, IsPartOfAName) {
  EXPECT_EQ(life_suffix({17, 2}), ".17.2");
  EXPECT_EQ(parse_life_suffix(".17.2"), (SlurmLife{17, 2}));
  EXPECT_LT((SlurmLife{17, 2}), (SlurmLife{18, 0}));
  for (const char* wrong : {"", ".17", ".17.", ".0.0", ".17.-1", "17.2", ".17.2.3", ".x.1",
                            ".17. 2", ".99999999999999999999.0", ".017.0"})
    EXPECT_EQ(parse_life_suffix(wrong), std::nullopt) << wrong;
}

}  // namespace
}  // namespace lapcast

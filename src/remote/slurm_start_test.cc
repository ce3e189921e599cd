#include "remote/slurm_start.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>
#include <utility>
#include <vector>

#include "remote/nodes_run.h"

namespace lapcast {
namespace {

using testing::ElementsAre;
using testing::IsSupersetOf;

const OwnSlurmJob kTwoNodes{"17", 2, "gpu01"};

RunContext with_words() {
  RunContext context;
  context.program = {"train", "{node}", "{nodes}", "{head}:29500", "{batch}", "{run_dir}"};
  context.settings = {{"batch", "8"}};
  return context;
}

TEST(SlurmStart, IsOnEachNodeWhereTheProgramHasTheirWords) {
  RunContext context = with_words();
  start_on_nodes(context, kTwoNodes, "/lapcast");
  EXPECT_THAT(filled_program(context), ElementsAre("/lapcast", "on-nodes", "--", "train", "{node}",
                                                   "2", "gpu01:29500", "8", "{run_dir}"));
  // As where this machine fills in what is left.
  EXPECT_EQ(filled_program(on_only_node(context)), filled_program(context));
}

TEST(SlurmStart, FillsInTheWordsOfAnOnlyNode) {
  RunContext context = with_words();
  start_on_nodes(context, {"17", 1, "gpu01"}, "/lapcast");
  EXPECT_THAT(filled_program(context),
              ElementsAre("train", "0", "1", "127.0.0.1:29500", "8", "{run_dir}"));
}

TEST(SlurmStart, IsOneWhereNoWordIsLeftToFillIn) {
  RunContext own_srun;
  own_srun.program = {"srun", "train", "{batch}"};
  RunContext stated = with_words();
  stated.settings.insert({{"node", "0"}, {"nodes", "2"}, {"head", "ib0"}});
  for (RunContext context : {own_srun, stated}) {
    const RunContext before = context;
    start_on_nodes(context, kTwoNodes, "/lapcast");
    EXPECT_EQ(context, before);
  }
}

TEST(SlurmStart, TellsEachNodeItsNumberAndTheNameOfTheFirst) {
  const std::vector<std::string> program{"train", "{node}/{nodes}", "{head}:29500", "{other}"};
  EXPECT_THAT(program_on_node(program, kTwoNodes, 0),
              ElementsAre("train", "0/2", "gpu01:29500", "{other}"));
  EXPECT_THAT(program_on_node(program, {"17", 300, "gpu[1]"}, 299),
              ElementsAre("train", "299/300", "gpu[1]:29500", "{other}"));
}

TEST(SlurmStart, AsksSrunForOneTaskOnEachNodeButTheFirst) {
  const auto command = command_on_others({"train", "{node} a", "$(b)"}, {"17", 5, "n1"}, "/l c");
  EXPECT_THAT(command, IsSupersetOf({"--relative=1", "--nodes=4", "--ntasks=4",
                                     "--ntasks-per-node=1", "--kill-on-bad-exit=1"}));
  EXPECT_THAT(std::vector(command.end() - 7, command.end()),
              ElementsAre("/l c", "on-nodes", "--other", "--", "train", "{node} a", "$(b)"));
}

TEST(OwnSlurmJob, IsReadFromItsVariables) {
  setenv("SLURM_JOB_ID", "17", 1);
  setenv("SLURMD_NODENAME", "gpu01", 1);
  for (const auto& [text, nodes] : {std::pair{"3", 3u}, {"x", 1u}, {"-2", 1u}, {"", 1u}}) {
    setenv("SLURM_JOB_NUM_NODES", text, 1);
    EXPECT_EQ(own_slurm_job().nodes, nodes) << text;
  }
  EXPECT_EQ(own_slurm_job().id, "17");
  EXPECT_EQ(own_slurm_job().head, "gpu01");
  for (const char* name : {"SLURM_JOB_ID", "SLURMD_NODENAME", "SLURM_JOB_NUM_NODES"})
    unsetenv(name);
  EXPECT_EQ(own_slurm_job().nodes, 1u);
}

Run run_ended_as(Outcome outcome, std::string standard_error) {
  Run run;
  run.outcome = std::move(outcome);
  run.standard_error = std::move(standard_error);
  return run;
}

TEST(FailedNode, IsTheFirstThatWasReported) {
  lapcast::Run run = run_ended_as(outcome::Crashed{.exit_status = 1},
                                  "Traceback\nlapcast: node gpu02: crashed with signal 9\n"
                                  "lapcast: node gpu01: failed with exit status 1\n");
  name_failed_node(run);
  EXPECT_EQ(run.outcome,
            Outcome(outcome::NoLaps{"gpu02: crashed with signal 9; the other nodes were ended"}));
}

TEST(FailedNode, IsNamedInNoRunThatHasLapsOrLacksMemory) {
  const outcome::Crashed lack{.exit_status = 1, .out_of_memory = outcome::OutOfMemory{}};
  for (const Outcome& outcome :
       {Outcome(outcome::Enough{"8 laps"}), Outcome(outcome::Interrupted{}), Outcome(lack)}) {
    lapcast::Run run = run_ended_as(outcome, "lapcast: node gpu02: failed with exit status 1\n");
    name_failed_node(run);
    EXPECT_EQ(run.outcome, outcome);
  }
  lapcast::Run other = run_ended_as(outcome::Crashed{.exit_status = 1}, "no such line\n");
  name_failed_node(other);
  EXPECT_EQ(other.outcome, Outcome(outcome::Crashed{.exit_status = 1}));
}

}  // namespace
}  // namespace lapcast

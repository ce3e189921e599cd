#include "remote/slurm_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace lapcast {
namespace {

using testing::HasSubstr;

/// A line as squeue prints it, with '|' for its separator.
std::string line(std::string text) {
  std::replace(text.begin(), text.end(), '|', '\x1f');
  return text + "\n";
}

constexpr const char* kWaiting =
    "17|PENDING|Priority|low||(null)|/h/runs/a1|1|4294901758|10:00|2026-11-22T05:49:31|N/A";
constexpr const char* kRunning =
    "1|RUNNING|None|low|one|gres:gpu:a100:1|/tmp|2|99|UNLIMITED|2026-11-22T05:49:30|"
    "2026-11-22T05:49:32";

TEST(Squeue, AJobThatWaits) {
  const auto jobs = parse_squeue(line(kWaiting));
  ASSERT_TRUE(jobs);
  ASSERT_EQ(jobs->size(), 1u);
  const SlurmJob& job = jobs->front();
  EXPECT_EQ(job.id, 17);
  EXPECT_EQ(job.phase(), SlurmJob::Phase::waiting);
  EXPECT_FALSE(job.held());
  EXPECT_EQ(job.reason, "Priority");
  EXPECT_EQ(job.nodes + job.gres, "");
  EXPECT_EQ(job.folder, "/h/runs/a1");
  EXPECT_EQ(job.priority, 4'294'901'758);
  EXPECT_EQ(job.time_limit_ns, 600'000'000'000);
  EXPECT_EQ(job.submitted_s, 1'795'326'571);
  EXPECT_EQ(job.started_s, std::nullopt);
}

TEST(Squeue, AJobThatRuns) {
  const auto jobs = parse_squeue(line(kWaiting) + line(kRunning));
  ASSERT_TRUE(jobs);
  const SlurmJob& job = jobs->back();
  EXPECT_EQ(job.phase(), SlurmJob::Phase::running);
  EXPECT_EQ(job.reason, "");
  EXPECT_EQ(job.nodes, "one");
  EXPECT_EQ(job.gres, "gres:gpu:a100:1");
  EXPECT_EQ(job.cpus, 2);
  EXPECT_EQ(job.time_limit_ns, 0);
  EXPECT_EQ(*job.started_s - *job.submitted_s, 2);
}

TEST(Squeue, PhasesAndHolds) {
  const auto phase = [](const char* state) { return SlurmJob{.state = state}.phase(); };
  EXPECT_EQ(phase("CONFIGURING"), SlurmJob::Phase::waiting);
  EXPECT_EQ(phase("COMPLETING"), SlurmJob::Phase::running);  // a requeue may follow
  EXPECT_EQ(phase("SUSPENDED"), SlurmJob::Phase::running);
  EXPECT_EQ(phase("A_STATE_TO_COME"), SlurmJob::Phase::running);
  for (const char* ended : {"COMPLETED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "PREEMPTED"})
    EXPECT_EQ(phase(ended), SlurmJob::Phase::ended) << ended;
  EXPECT_TRUE((SlurmJob{.state = "PENDING", .reason = "JobHeldAdmin"}.held()));
  EXPECT_TRUE((SlurmJob{.state = "REQUEUE_HOLD"}.held()));
  EXPECT_FALSE((SlurmJob{.state = "RUNNING", .reason = "JobHeldUser"}.held()));
}

TEST(Squeue, RefusesWhatItDoesNotPrint) {
  EXPECT_THAT(parse_squeue("slurm_load_jobs error\n").error().text, HasSubstr("1 fields"));
  const auto with = [](std::string id, std::string state) {
    return parse_squeue(line(id + "|" + state + "||||||||||"));
  };
  EXPECT_TRUE(with("5", "PENDING"));
  for (const char* id : {"", "-5", "0", "17_3", "17+0", "99999999999999999999", "x"})
    EXPECT_FALSE(with(id, "PENDING")) << id;
  for (const char* state : {"", "pending", "PEND\x1b[2J", "A B"})
    EXPECT_FALSE(with("5", state)) << state;
}

TEST(Squeue, TextsAreSafeToShow) {
  const auto jobs =
      parse_squeue(line("5|PENDING|\x1b[2Jx|p|n|g|/f|99999999999999999999|-4|junk|junk|junk"));
  ASSERT_TRUE(jobs);
  EXPECT_EQ(jobs->front().reason, "?x");
  EXPECT_EQ(jobs->front().cpus, 0);
  EXPECT_EQ(jobs->front().priority, 0);
  EXPECT_EQ(jobs->front().submitted_s, std::nullopt);
}

TEST(Sbatch, PrintsANumber) {
  EXPECT_EQ(*parse_sbatch("17\n"), 17);
  EXPECT_EQ(*parse_sbatch("17;cluster\n"), 17);
  for (const char* wrong : {"", "Submitted batch job 17", "0", "-1", "17\n18", ";"})
    EXPECT_FALSE(parse_sbatch(wrong)) << wrong;
}

TEST(Sacct, SaysHowAJobEnded) {
  EXPECT_EQ(parse_sacct(""), std::nullopt);
  EXPECT_EQ(parse_sacct("Slurm accounting storage is disabled\n"), std::nullopt);
  EXPECT_EQ(parse_sacct("TIMEOUT\n"), (SlurmEnd{"TIMEOUT", {}}));
  EXPECT_EQ(parse_sacct("PREEMPTED\nCANCELLED by 1000\n"), (SlurmEnd{"CANCELLED", 1000}));
  EXPECT_EQ(parse_sacct("CANCELLED by root\n"), (SlurmEnd{"CANCELLED", {}}));
}

}  // namespace
}  // namespace lapcast

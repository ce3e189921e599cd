#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "remote/slurm_text.h"

namespace lapcast {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::int64_t kSecond = 1'000'000'000;

TEST(SlurmRows, AreSplitAtTheSeparatorOnly) {
  const auto rows = slurm_rows(
      "1\x1f"
      "a|b, c\x1f\n\n2\x1f\x1fx\n",
      3);
  ASSERT_TRUE(rows);
  EXPECT_THAT(*rows, ElementsAre(ElementsAre("1", "a|b, c", ""), ElementsAre("2", "", "x")));
  EXPECT_EQ(slurm_format({"%i", "%T"}), "%i\x1f%T");
}

TEST(SlurmRows, WithOtherFieldsAreRefused) {
  EXPECT_THAT(slurm_rows("a\x1f"
                         "b\n",
                         3)
                  .error()
                  .text,
              HasSubstr("2 fields instead of 3"));
  EXPECT_THAT(slurm_rows("error: hello\n", 2).error().text, HasSubstr("1 fields instead of 2"));
  EXPECT_FALSE(slurm_rows(std::string(5 << 20, 'x'), 1));
  EXPECT_TRUE(slurm_rows("", 7)->empty());
}

TEST(SlurmValue, KnowsTheWordsForNothing) {
  EXPECT_EQ(slurm_value(" gpu:1 "), "gpu:1");
  for (const char* nothing : {"", "(null)", "N/A", "None", "none"})
    EXPECT_EQ(slurm_value(nothing), "");
}

TEST(SlurmTime, IsSecondsOfUtc) {
  EXPECT_EQ(slurm_time("1970-01-02T00:01:02"), 86'462);
  EXPECT_EQ(slurm_time("2026-11-22T05:49:31"), 1'795'326'571);
  for (const char* wrong :
       {"", "N/A", "Unknown", "2026-13-01T00:00:00", "2026-02-30T00:00:00", "2026-11-22",
        "2026-11-22T25:00:00", "2026-11-22T05:49", "99999999999-1-1T0:0:0", "2026-11--2T05:49:31"})
    EXPECT_EQ(slurm_time(wrong), std::nullopt) << wrong;
}

TEST(SlurmDuration, HasDaysHoursMinutesSeconds) {
  EXPECT_EQ(slurm_duration_ns("10:00"), 600 * kSecond);
  EXPECT_EQ(slurm_duration_ns("30"), 1800 * kSecond);
  EXPECT_EQ(slurm_duration_ns("1:00:00"), 3600 * kSecond);
  EXPECT_EQ(slurm_duration_ns("2-12:00:01"), (2 * 86'400 + 12 * 3600 + 1) * kSecond);
  EXPECT_EQ(slurm_duration_ns("1-12"), (86'400 + 12 * 3600) * kSecond);
  EXPECT_EQ(slurm_duration_ns("UNLIMITED"), 0);
  EXPECT_EQ(slurm_duration_ns("infinite"), 0);
  for (const char* wrong : {"", "N/A", "1:2:3:4", "-5", "x", "99999999-00:00:00", "NOT_SET"})
    EXPECT_EQ(slurm_duration_ns(wrong), std::nullopt) << wrong;
}

TEST(SlurmDuration, IsWrittenAsSlurmReadsIt) {
  EXPECT_EQ(slurm_duration_text(90 * kSecond), "0:01:30");
  EXPECT_EQ(slurm_duration_text(1), "0:00:01");
  EXPECT_EQ(slurm_duration_text(100 * 3600 * kSecond), "100:00:00");
}

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

#include "report/run_timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "lap/lap_log_writer.h"

namespace lapcast {
namespace {

using testing::Contains;
using testing::ElementsAre;

constexpr std::int64_t kNs = 1'000'000'000;

/// Returns a run from 100 to 120 s whose log begins at 102 s with these lines.
Run run_of(const std::string& lines) {
  Run run;
  run.started_ns = 100 * kNs;
  run.ended_ns = 120 * kNs;
  run.context.machine.host = "h";
  run.context.started_at = "1970-01-02T00:00:01Z";
  if (!lines.empty())
    run.lap_logs = {lap_log_opening({102 * kNs, 5002, 7, 0, 1, "h", "test"}) + lines};
  return run;
}

// The second lap, from 3 to 10 s after the start, was suspended from 5 to 9 s: it cost 3 s.
TEST(Timeline, HasPausesInItsTimesAndNotInTheCosts) {
  lapcast::Run run = run_of("1000000000 i 8\n8000000000 i 8\n");
  run.pauses = {{105 * kNs, 109 * kNs}};
  const RunTimeline timeline = timeline_of(run);
  EXPECT_EQ(timeline.started_s, 5000);  // 2 s before the hello
  EXPECT_EQ(timeline.length_ns, 20 * kNs);
  ASSERT_EQ(timeline.log.laps.size(), 2U);
  EXPECT_EQ(timeline.log.laps[1].begin_ns, 3 * kNs);
  EXPECT_EQ(timeline.log.laps[1].end_ns, 10 * kNs);
  EXPECT_THAT(timeline.costs_s, ElementsAre(1, 3));
  EXPECT_THAT(timeline.marks, Contains(RunMark{RunMark::Kind::pause, {5 * kNs, 9 * kNs}, ""}));
}

TEST(Timeline, NamesWhatTheProgramReported) {
  const RunTimeline timeline = timeline_of(
      run_of("0 epoch-begin 1\n1000000000 i 8\n2000000000 i 8\n2000000000 epoch-end 1\n"
             "2000000000 validation-begin\n3000000000 validation-end 50\n3000000000 epoch-begin 2\n"
             "4000000000 i 8\n"));
  using enum RunMark::Kind;
  EXPECT_THAT(timeline.marks, Contains(RunMark{validation, {4 * kNs, 5 * kNs}, "50 samples"}));
  EXPECT_THAT(timeline.marks, Contains(RunMark{epoch, {2 * kNs, 4 * kNs}, "epoch 1"}));
  EXPECT_THAT(timeline.marks, Contains(RunMark{epoch, {5 * kNs, 6 * kNs}, "epoch 2"}));
  EXPECT_THAT(timeline.marks, Contains(RunMark{warm_up, {2 * kNs, 3 * kNs}, "1 laps"}));
}

// Nine laps of 0.1 s, then one of 5 s, then nine of 0.1 s again.
TEST(Timeline, MarksAStall) {
  std::string lines;
  std::int64_t at_ns = 0;
  for (int i = 0; i < 19; ++i) {
    at_ns += i == 9 ? 5 * kNs : kNs / 10;
    lines += std::to_string(at_ns) + " i 8\n";
  }
  EXPECT_THAT(timeline_of(run_of(lines)).marks,
              Contains(RunMark{RunMark::Kind::stall, {29 * kNs / 10, 79 * kNs / 10}, "5.00 s"}));
}

TEST(Timeline, OfARunWithoutALogBeginsWhenItWasStarted) {
  const RunTimeline timeline = timeline_of(run_of(""));
  EXPECT_EQ(timeline.started_s, 86401);
  EXPECT_TRUE(timeline.marks.empty() && timeline.costs_s.empty());
  EXPECT_EQ(timeline_of(lapcast::Run{}).started_s, 0);
}

}  // namespace
}  // namespace lapcast

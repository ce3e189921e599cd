#include "campaign/worker_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lapcast {
namespace {

using testing::Contains;
using testing::HasSubstr;

ProbeRequest request() {
  ProbeRequest request;
  request.context.id = "3fb09c61d2aa";
  request.context.program = {"./train"};
  request.context.started_at = "2026-11-20T12:00:00Z";
  return request;
}

TEST(AsRunOf, AHostSaysWhatHappenedAndNotWhoseRunItIs) {
  lapcast::Run sent;
  sent.context.id = "another";
  sent.context.program = {"rm"};
  sent.context.sweep = "77e1";
  sent.context.started_at = "2026-11-20T13:00:00Z";
  sent.context.machine.cores = 4;
  sent.lap_logs = {"laps"};
  const lapcast::Run run = as_run_of(request(), sent);
  EXPECT_EQ(run.context.id, "3fb09c61d2aa");
  EXPECT_EQ(run.context.program, std::vector<std::string>{"./train"});
  EXPECT_EQ(run.context.sweep, "");
  EXPECT_EQ(run.context.started_at, "2026-11-20T13:00:00Z");
  EXPECT_EQ(run.context.machine.cores, 4);
  EXPECT_EQ(run.lap_logs, sent.lap_logs);
  EXPECT_TRUE(run.warnings.empty());
}

TEST(AsRunOf, AClockAndADescriptionThatCannotBeCostNoLaps) {
  lapcast::Run sent;
  sent.context.started_at = "9999-11-20T13:00:00Z";
  sent.context.machine.cores = -4;
  sent.lap_logs = {"laps"};
  const lapcast::Run run = as_run_of(request(), sent);
  EXPECT_EQ(run.context.started_at, "2026-11-20T12:00:00Z");  // when it was sent
  EXPECT_EQ(run.context.machine.cores, 0);
  EXPECT_EQ(run.lap_logs, sent.lap_logs);
  EXPECT_THAT(run.warnings, Contains(HasSubstr("machine.cores is negative")));
  EXPECT_THAT(run.warnings, Contains(HasSubstr("started_at is not a time")));
}

}  // namespace

}  // namespace lapcast

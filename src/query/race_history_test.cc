#include "query/race_history.h"

#include <gtest/gtest.h>

#include "run/race_outcomes.h"

namespace lapcast {
namespace {

lapcast::Run run_of(const std::string& machine, Outcome outcome, const std::string& at) {
  lapcast::Run run;
  run.context.machine_type.name = machine;
  run.context.started_at = at;
  run.outcome = std::move(outcome);
  return run;
}

TEST(RaceHistory, TakesTheProbesOfOneCandidateOldestFirst) {
  const std::vector<lapcast::Run> runs{run_of("a", end_of_round(), "2026-11-20T12:00:02Z"),
                                       run_of("b", end_of_round(), "2026-11-20T12:00:00Z"),
                                       run_of("a", outcome::Interrupted{}, "2026-11-20T12:00:01Z")};
  const RaceRuns history = history_of(runs[0].context, runs);
  ASSERT_EQ(history.runs.size(), 2u);
  EXPECT_EQ(history.runs[0], &runs[2]);
  EXPECT_EQ(history.runs[1], &runs[0]);
  EXPECT_EQ(history.best(), nullptr);  // none has laps
}

}  // namespace
}  // namespace lapcast

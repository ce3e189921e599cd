#include "fleet/race_history.h"

#include <gtest/gtest.h>

namespace lapcast {
namespace {

lapcast::Run run_of(const std::string& machine, Outcome outcome, const std::string& at) {
  lapcast::Run run;
  run.context.machine_type.name = machine;
  run.context.started_at = at;
  run.outcome = std::move(outcome);
  return run;
}

TEST(RaceHistory, OutcomesSayHowARaceEndedARun) {
  EXPECT_EQ(why_out_of_race(out_of_race("can no longer be the cheapest")),
            "can no longer be the cheapest");
  EXPECT_EQ(why_out_of_race(outcome::NoLaps{"out: took too long"}), "took too long");
  EXPECT_FALSE(why_out_of_race(decided_in_race()));
  EXPECT_FALSE(why_out_of_race(outcome::Ended{}));
  for (const Outcome& cut_short :
       {Outcome{end_of_round()}, Outcome{end_of_budget()}, Outcome{outcome::Interrupted{}}})
    EXPECT_TRUE(is_unfinished_in_race(cut_short));
  for (const Outcome& whole : {Outcome{decided_in_race()}, Outcome{out_of_race("x")},
                               Outcome{outcome::BudgetSpent{"time budget of 60 s"}}})
    EXPECT_FALSE(is_unfinished_in_race(whole));
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

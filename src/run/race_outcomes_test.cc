#include "run/race_outcomes.h"

#include <gtest/gtest.h>

namespace lapcast {
namespace {

TEST(RaceOutcomes, SayHowARaceEndedARun) {
  EXPECT_EQ(why_out_of_race(out_of_race("can no longer be the cheapest")),
            "can no longer be the cheapest");
  EXPECT_EQ(why_out_of_race(outcome::NoLaps{"out: took too long"}), "took too long");
  EXPECT_FALSE(why_out_of_race(decided_in_race()));
  EXPECT_FALSE(why_out_of_race(outcome::Ended{}));
  for (const Outcome& cut_short :
       {Outcome{end_of_round()}, Outcome{end_of_budget()}, Outcome{outcome::Interrupted{}}})
    EXPECT_TRUE(is_unfinished_in_race(cut_short));
  for (const Outcome& whole :
       {Outcome{decided_in_race()}, Outcome{settled_in_race()}, Outcome{out_of_race("x")},
        Outcome{outcome::BudgetSpent{"time budget of 60 s"}}})
    EXPECT_FALSE(is_unfinished_in_race(whole));
}

TEST(RaceOutcomes, TellTheRunsThatARaceStopped) {
  for (const Outcome& by_race :
       {Outcome{out_of_race("x")}, Outcome{decided_in_race()}, Outcome{settled_in_race()},
        Outcome{end_of_round()}, Outcome{end_of_budget()}})
    EXPECT_TRUE(was_stopped_by_race(by_race));
  for (const Outcome& other :
       {Outcome{outcome::BudgetSpent{"time budget of 60 s"}}, Outcome{outcome::Interrupted{}},
        Outcome{outcome::Enough{"3 of 3 rounds"}}, Outcome{outcome::Ended{}}})
    EXPECT_FALSE(was_stopped_by_race(other));
}

}  // namespace
}  // namespace lapcast

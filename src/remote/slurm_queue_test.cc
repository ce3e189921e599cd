#include "remote/slurm_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace lapcast {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

std::string text(std::string history) {
  std::replace(history.begin(), history.end(), '|', '\x1f');
  return history;
}

const char* const kTwoLives =
    "L.17.1\n17|RUNNING|None|low|two||/f|1|9|10:00|2026-11-22T05:50:00|2026-11-22T05:52:01\n"
    "L.17.0\n17|RUNNING|None|low|one||/f|1|9|10:00|2026-11-22T05:49:30|2026-11-22T05:49:32\n";

TEST(SlurmHistory, HasLivesInTheirOrder) {
  const auto history = parse_slurm_history(text(kTwoLives));
  ASSERT_EQ(history.size(), 2u);
  EXPECT_EQ(history[0].life, (SlurmLife{17, 0}));
  EXPECT_EQ(history[0].job->nodes, "one");
  EXPECT_EQ(history[1].job->nodes, "two");
}

TEST(SlurmHistory, DamageIsLeftOut) {
  EXPECT_THAT(parse_slurm_history("junk\nL.x.0\n"), IsEmpty());
  EXPECT_THAT(parse_slurm_history(text("17|RUNNING|None|low|one||/f|1|9|1|N/A|N/A\n")), IsEmpty());
  const auto history =
      parse_slurm_history(text("L.17.0\nsqueue: error\nL.18.0\n17|RUNNING|||||||||||\n"));
  ASSERT_EQ(history.size(), 2u);
  EXPECT_FALSE(history[0].job);
  EXPECT_FALSE(history[1].job);  // of another job
}

TEST(SlurmHistory, TimeInTheQueueIsThatOfAllLives) {
  lapcast::Run run;
  run.preparation = {{"set-up", Seconds{3}, 0}};
  add_history(parse_slurm_history(text(kTwoLives)), run);
  ASSERT_EQ(run.preparation.size(), 2u);
  EXPECT_EQ(run.preparation[0], (PreparationStep{"queue", Seconds{2 + 121}, 0}));
  ASSERT_EQ(run.warnings.size(), 1u);
  EXPECT_THAT(run.warnings[0], HasSubstr("started 2 times"));
}

TEST(SlurmHistory, SaysNothingThatIsNotKnown) {
  lapcast::Run run;
  add_history({}, run);
  add_history(parse_slurm_history("L.17.0\n"), run);
  EXPECT_EQ(run, lapcast::Run());
}

}  // namespace
}  // namespace lapcast

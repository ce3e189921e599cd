#include "accuracy/units.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "accuracy/logged_run_test.h"

namespace lapcast::accuracy {
namespace {

using ::testing::ElementsAre;

TEST(Units, AnEpochLastsUntilTheNextBegins) {
  LoggedRun run = run_of(MllogUnit::epoch, 10);
  log(run, MllogKey::epoch_start, {2, 12, 20, 30});
  log(run, MllogKey::epoch_stop, {11, 19, 29, 39});
  const Units units = units_of(run);
  EXPECT_THAT(units.end, ElementsAre(12, 20, 30));
  EXPECT_THAT(units.weight, ElementsAre(1, 1, 1));
}

TEST(Units, ABlockCountsWhatItIsLongFor) {
  LoggedRun run = run_of(MllogUnit::block, 39);
  log(run, MllogKey::block_start, 1, 3);
  log(run, MllogKey::block_start, 31, 4);
  log(run, MllogKey::block_start, 71);  // no count is logged, so it is 1
  log(run, MllogKey::block_start, 81, 4);
  const Units units = units_of(run);
  EXPECT_THAT(units.end, ElementsAre(31, 71, 81));
  EXPECT_THAT(units.weight, ElementsAre(3, 4, 1));
}

TEST(Units, WhereBlocksAreNumberedTheirNumbersSayHowLong) {
  LoggedRun run = run_of(MllogUnit::block, 39);  // the first block of 3 is logged as one of 4
  for (const auto& [at, number] : {std::pair(1.0, 0.0), {31.0, 3.0}, {71.0, 7.0}, {72.0, 7.0}}) {
    log(run, MllogKey::block_start, at, 4);
    run.events.back().epoch = number;
  }
  EXPECT_THAT(units_of(run).weight, ElementsAre(3, 4, 4));
}

TEST(Units, BetweenResultsOfEvaluations) {
  LoggedRun run = run_of(MllogUnit::between_evaluations, 8);
  log(run, MllogKey::eval_accuracy, {-1, 10, 18});
  EXPECT_THAT(units_of(run).end, ElementsAre(10, 18));
}

TEST(Units, NoneWhereNoKindIsGiven) {
  LoggedRun run = run_of(MllogUnit::epoch, 8);
  log(run, MllogKey::epoch_start, {1, 2, 3});
  run.unit.reset();
  EXPECT_THAT(units_of(run).end, ElementsAre());
}

TEST(PapersTotal, FirstEpochAndTheRestAtTheSecondsPace) {
  // The first epoch takes 12 s, the other nine 8 s.
  EXPECT_DOUBLE_EQ(papers_total({{12, 20, 30}, {1, 1, 1}}, 10, 2), 12 + 9 * 8);
}

TEST(PapersTotal, ByWeight) {
  // A block of 3 takes 31 s, the second 40 s for 4: 10 s each for the other 36 of 39.
  EXPECT_DOUBLE_EQ(papers_total({{31, 71}, {3, 4}}, 39, 2), 31 + 36 * 10);
}

TEST(PapersTotal, MedianPaceAfterFive) {
  // The paces of units 2 to 5 are 8, 10, 30 and 8; their median is 9.
  EXPECT_DOUBLE_EQ(papers_total({{12, 20, 30, 60, 68}, {1, 1, 1, 1, 1}}, 10, 5), 12 + 9 * 9);
}

}  // namespace
}  // namespace lapcast::accuracy

#include "rank/strategies.h"

#include <gmock/gmock.h>

#include <string>
#include <utility>

namespace lapcast {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using MaybeValues = std::vector<std::optional<double>>;

// The second row is picked; really it takes 12 where the first takes 10: 20 % more. Of the three
// pairs the first two rows are in the wrong order: tau = (2 - 1) / 3.
TEST(Strategies, AColumnIsJudgedByTheRealValues) {
  const ColumnVerdict verdict = judge_column(MaybeValues{2, 1, 9}, MaybeValues{10, 12, 30});
  ASSERT_TRUE(verdict.pick);
  EXPECT_THAT(verdict.pick->rows, ElementsAre(1));
  EXPECT_NEAR(verdict.pick->most->relative, 0.2, 1e-12);
  EXPECT_EQ(verdict.pick->most->best, 0U);
  EXPECT_FALSE(verdict.pick->most->lower_bound);
  EXPECT_EQ(verdict.order_is_right, false);
  EXPECT_NEAR(verdict.tau.value(), 1.0 / 3, 1e-12);
  EXPECT_EQ(verdict.compared, 3U);
}

TEST(Strategies, ThePickOfEqualValuesIsTheirWorst) {
  const auto pick = pick_of_column(MaybeValues{1, 5, 1}, MaybeValues{15, 10, 10});
  EXPECT_THAT(pick->rows, ElementsAre(2, 0));
  EXPECT_EQ(pick->least->relative, 0);
  EXPECT_NEAR(pick->most->relative, 0.5, 1e-12);
}

TEST(Strategies, WithoutARealValueTheRegretOfThePickIsNotKnown) {
  const ColumnVerdict verdict = judge_column(MaybeValues{1, 2, 3}, MaybeValues{{}, 2, 3});
  EXPECT_THAT(verdict.pick->most.error().text, HasSubstr("not run to its end"));
  EXPECT_EQ(verdict.order_is_right, true);
  EXPECT_EQ(verdict.tau, 1);
  EXPECT_EQ(verdict.compared, 2U);
  EXPECT_TRUE(judge_column(MaybeValues{2, 1, {}}, MaybeValues{{}, 2, 3}).pick->most->lower_bound);
}

TEST(Strategies, NothingIsPickedOfAColumnWithoutValues) {
  EXPECT_FALSE(pick_of_column(MaybeValues{{}, {}}, MaybeValues{1, 2}));
  EXPECT_FALSE(judge_column(MaybeValues{}, MaybeValues{}).order_is_right);
  EXPECT_FALSE(judge_column(MaybeValues{1}, MaybeValues{1}).tau);
}

LapProfile profile_with_epochs(std::vector<Seconds> epochs) {
  LapProfile profile;
  profile.init = Seconds{3};
  profile.laps = {Seconds{2}, Seconds{1}, Seconds{1}};
  profile.epochs = std::move(epochs);
  return profile;
}

TEST(SearchBill, TwoEpochsOrIterationsAreMeasuredFromTheStart) {
  const LapProfile profile = profile_with_epochs({Seconds{20}, Seconds{10}, Seconds{9}});
  const auto epochs = time_of_two_epochs(profile, {.epochs = 5});
  EXPECT_EQ(epochs->time, Seconds{33});
  EXPECT_TRUE(epochs->is_measured);
  EXPECT_EQ(time_of_two_iterations(profile)->time, Seconds{6});
  EXPECT_FALSE(time_of_two_iterations(LapProfile{}));
  EXPECT_FALSE(time_of_two_epochs(LapProfile{}, {.epochs = 5}));
}

lapcast::Run run_at(const std::string& machine, const char* per_hour) {
  lapcast::Run run;
  run.context.machine_type.name = machine;
  Offer price;
  price.name = price.machine_type = machine;
  price.price.per_hour = Money::parse(per_hour);
  price.billing = {0, 0};
  run.context.price = price;
  return run;
}

// 100 s at 36 USD an hour are 1 USD, 50 s half a dollar.
TEST(SearchBill, SumsByMachineAndInAll) {
  const lapcast::Run run = run_at("a", "36");
  lapcast::Run unpriced;
  SearchBill bill;
  bill.of("a", SearchWay::everything).add(SearchTime{Seconds{100}, true}, run, {});
  bill.of("a", SearchWay::everything).add(SearchTime{Seconds{50}, false}, run, {});
  bill.of("b", SearchWay::everything).add(SearchTime{Seconds{7}, true}, unpriced, {});
  bill.of("b", SearchWay::everything).add(because("no laps"), unpriced, {});
  const SearchExpense all = bill.total(SearchWay::everything);
  EXPECT_EQ(all.sum.time, Seconds{157});
  EXPECT_EQ(all.sum.cost, Money::parse("1.5"));
  EXPECT_EQ(all.measured, 2U);
  EXPECT_EQ(all.forecast, 1U);
  EXPECT_EQ(all.unknown, 1U);
  EXPECT_EQ(all.unpriced, 1U);
  EXPECT_EQ(bill.total(SearchWay::race).counted(), 0U);
  EXPECT_EQ(bill.machines().at("b")[0].counted(), 1U);
}

}  // namespace
}  // namespace lapcast

#include "rank/probe_value.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lapcast {
namespace {

const double kLn2 = std::log(2.0);
/// Holds two choices, of which one costs 1 and the other 2, and nothing says which.
const ValueCases kEven{2, {0, kLn2, kLn2, 0}};

TEST(ProbeValueTest, RegretIsTheMeanLossAgainstTheBest) {
  EXPECT_DOUBLE_EQ(mean_regret(kEven, 0), 0.5);  // (0 + 1) / 2
  const ValueCases sure{2, {0, kLn2, 0, kLn2}};
  EXPECT_DOUBLE_EQ(mean_regret(sure, 0), 0);
  EXPECT_DOUBLE_EQ(mean_regret(sure, 1), 1);
  EXPECT_EQ(best_pick(sure), 0U);
}

TEST(ProbeValueTest, ChancesCountTheCasesThatAChoiceWins) {
  const ValueCases cases{2, {0, 1, 0, 2, 3, 1, 0, 1}};
  EXPECT_EQ(chances_to_win(cases), (std::vector<double>{0.75, 0.25}));
}

TEST(ProbeValueTest, AMeasurementThatTellsAllLeavesNoRegret) {
  const std::size_t first[] = {0};
  EXPECT_NEAR(regret_after(kEven, first, 0), 0, 1e-9);  // one is 1 where the other is 2
  // A measurement that is too noisy leaves the pick with the smaller mean, 0: e^(ln 2 - 0.1) - 1
  // is lost in one of two cases.
  const ValueCases uneven{2, {0, kLn2, kLn2, 0.1}};
  EXPECT_NEAR(regret_after(uneven, first, 1000), (2 * std::exp(-0.1) - 1) / 2, 1e-9);
}

TEST(ProbeValueTest, AMeasurementOfWhatIsSureChangesNothing) {
  // The first is always 1; the second is 1/2 or 2 and is worth measuring.
  const ValueCases cases{2, {0, -kLn2, 0, kLn2}};
  const std::size_t sure[] = {0}, open[] = {1};
  EXPECT_NEAR(regret_after(cases, sure, 0.01), 0.5, 1e-6);  // (2 - 1 + 0) / 2
  EXPECT_NEAR(regret_after(cases, open, 1e-6), 0, 1e-6);
  const bool both[] = {true, true};
  EXPECT_EQ(next_probe(cases, both, true, 0.01), 1U);
}

TEST(ProbeValueTest, OnlyWhatMayBeMeasuredIsProposed) {
  const bool second[] = {false, true}, none[] = {false, false};
  EXPECT_EQ(next_probe(kEven, second, true, 0.03), 1U);
  EXPECT_EQ(next_probe(kEven, none, true, 0.03), std::nullopt);
}

TEST(ProbeValueTest, ALaterProbeIsTheLikeliestWinner) {
  const ValueCases cases{3, {0, 1, 2, 1, 0, 2, 1, 0, 2, 0, -1, 2}};
  const bool all[] = {true, true, true};
  EXPECT_EQ(next_probe(cases, all, false, 0.03), 1U);
}

}  // namespace
}  // namespace lapcast

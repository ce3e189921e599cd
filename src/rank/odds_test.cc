#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "forecast/time_cases.h"
#include "rank/odds.h"

namespace lapcast {
namespace {

/// Returns the cases of a run with one choice.
RunCases run_cases(std::vector<double> values, std::uint32_t choice) {
  std::vector<std::uint32_t> winners(values.size(), choice);
  return {std::move(values), std::move(winners)};
}

TEST(Chances, TwoRunsByHand) {
  // Of the four pairs of cases (1,2) (1,4) (3,2) (3,4) the first run wins all but (3,2), where it
  // loses 50 %: regret 0.5 / 4.
  const std::vector<RunCases> runs{run_cases({1, 3}, 0), run_cases({2, 4}, 1)};
  EXPECT_EQ(chances_of_best(runs, 2), (std::vector<double>{0.75, 0.25}));
  EXPECT_NEAR(expected_regret(runs, 0, runs[0].best), 0.125, 1e-15);
  // The second run loses 1 -> 2 (1.0), 1 -> 4 (3.0), 3 -> 4 (1/3).
  EXPECT_NEAR(expected_regret(runs, 1, runs[1].best), (1 + 3 + 1.0 / 3) / 4, 1e-15);
}

TEST(Chances, NoneAndOne) {
  EXPECT_TRUE(chances_of_best({}, 0).empty());
  const std::vector<RunCases> one{run_cases({1, 2, 3}, 0)};
  EXPECT_EQ(chances_of_best(one, 1), std::vector<double>{1});
  EXPECT_EQ(expected_regret(one, 0, one[0].best), 0);
}

TEST(Chances, OfEqualsTheFirstCounts) {
  const std::vector<RunCases> runs{run_cases({2, 2}, 1), run_cases({2, 2}, 0)};
  EXPECT_EQ(chances_of_best(runs, 2), (std::vector<double>{1, 0}));
  EXPECT_EQ(expected_regret(runs, 0, runs[0].best), 0);
}

TEST(Chances, ChoicesOfOneRunShareItsCases) {
  // Two choices of the run tie over its cases; the pick is always the first of them.
  const std::vector<RunCases> runs{{{1, 2}, {0, 1}}};
  EXPECT_EQ(chances_of_best(runs, 2), (std::vector<double>{0.5, 0.5}));
  EXPECT_NEAR(expected_regret(runs, 0, std::vector<double>{1, 3}), 0.25, 1e-15);
}

TEST(Chances, AgreeWithCountingAllCombinations) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 200; ++round) {
    std::vector<RunCases> runs;
    for (std::uint32_t r = 0; r < 3; ++r) {
      std::vector<double> values;
      for (int k = 0; k < 5; ++k) values.push_back(1 + static_cast<double>(random() % 9));
      runs.push_back(run_cases(values, r));
    }
    std::vector<double> wins(3);
    double regret = 0;
    for (int i = 0; i < 125; ++i) {
      const std::vector<double> now{runs[0].best[i % 5], runs[1].best[i / 5 % 5],
                                    runs[2].best[i / 25]};
      const auto best = std::min_element(now.begin(), now.end());
      wins[best - now.begin()] += 1 / 125.0;
      regret += (now[1] / *best - 1) / 125.0;
    }
    const auto chances = chances_of_best(runs, 3);
    for (int r = 0; r < 3; ++r) EXPECT_NEAR(chances[r], wins[r], 1e-12);
    EXPECT_NEAR(std::accumulate(chances.begin(), chances.end(), 0.0), 1, 1e-12);
    EXPECT_NEAR(expected_regret(runs, 1, runs[1].best), regret, 1e-12);
  }
}

std::vector<double> cases(double low, double mid, double high) {
  return time_cases({Seconds{low}, Seconds{mid}, Seconds{high}});
}

double share_below(const std::vector<double>& times, double limit) {
  const auto below = std::count_if(times.begin(), times.end(), [&](double t) { return t < limit; });
  return static_cast<double>(below) / static_cast<double>(times.size());
}

TEST(TimeCases, IntervalHoldsNinetyFivePercent) {
  for (const auto& times : {cases(80, 100, 150), cases(0, 100, 150), cases(99, 100, 101)}) {
    ASSERT_EQ(times.size(), kCases);
    EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
    EXPECT_NEAR(share_below(times, 100), 0.5, 1e-9);
  }
  EXPECT_NEAR(share_below(cases(80, 100, 150), 80), 0.025, 1.0 / kCases);
  EXPECT_NEAR(share_below(cases(80, 100, 150), 150), 0.975, 1.0 / kCases);
  EXPECT_NEAR(share_below(cases(0, 100, 150), 150), 0.975, 1.0 / kCases);
  EXPECT_GE(cases(0, 100, 150).front(), 0);
}

TEST(TimeCases, KnownExactly) {
  const auto times = cases(7, 7, 7);
  EXPECT_EQ(times.front(), 7);
  EXPECT_EQ(times.back(), 7);
}

TEST(TimeCases, MeanOfALognormal) {
  // sigma = ln(1.2) / 1.96 = 0.0930; the mean of a lognormal is median * exp(sigma^2 / 2)
  // = 1.00434.
  const auto times = cases(1 / 1.2, 1, 1.2);
  const double mean = std::accumulate(times.begin(), times.end(), 0.0) / kCases;
  EXPECT_NEAR(mean, 1.00434, 1e-4);
}

using Real = std::vector<std::optional<double>>;

TEST(Regret, AgainstTheBestOfAll) {
  const auto regret = regret_of(0, Real{11, 10, 12});
  ASSERT_TRUE(regret);
  EXPECT_NEAR(regret->relative, 0.1, 1e-15);
  EXPECT_EQ(regret->best, 1u);
  EXPECT_FALSE(regret->lower_bound);
}

TEST(Regret, LowerBoundUnlessAllAreKnown) {
  const auto regret = regret_of(0, Real{11, 10, std::nullopt});
  ASSERT_TRUE(regret);
  EXPECT_NEAR(regret->relative, 0.1, 1e-15);
  EXPECT_TRUE(regret->lower_bound);
}

TEST(Regret, OneAloneAndEquals) {
  EXPECT_EQ(regret_of(0, Real{3})->relative, 0);
  const auto equals = regret_of(1, Real{3, 3});
  EXPECT_EQ(equals->relative, 0);
  EXPECT_EQ(equals->best, 1u);
  EXPECT_EQ(regret_of(0, Real{0, 0})->relative, 0);
}

TEST(Regret, NotKnown) {
  EXPECT_FALSE(regret_of(0, Real{}));
  EXPECT_FALSE(regret_of(0, Real{std::nullopt, 3}));
  EXPECT_FALSE(regret_of(0, Real{1, 0}));
}

TEST(Saving, ShareOfTheBaseline) {
  EXPECT_DOUBLE_EQ(*saving(Money::parse("10"), Money::parse("2.5")), 0.75);
  EXPECT_DOUBLE_EQ(*saving(Money::parse("10"), Money::parse("12")), -0.2);
  EXPECT_DOUBLE_EQ(*saving(Money::parse("10"), Money{}), 1);
}

TEST(Saving, NothingToCompareWith) {
  EXPECT_FALSE(saving(Money{}, Money::parse("1")));
  EXPECT_FALSE(saving(Money::parse("-1"), Money::parse("1")));
}

}  // namespace

}  // namespace lapcast

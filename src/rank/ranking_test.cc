#include "rank/ranking.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "forecast/time_cases.h"
#include "rank/ranking_fixture_test.h"

namespace lapcast {
namespace {

using test::candidate;
using test::failed;
using test::offer;
using testing::ElementsAre;

std::vector<std::string> chosen_names(const Ranking& ranking) {
  std::vector<std::string> names;
  for (const Choice& choice : ranking.chosen) names.push_back(choice.offer->name);
  return names;
}

std::vector<std::string> reasons(const Ranking& ranking) {
  std::vector<std::string> texts;
  for (const Excluded& excluded : ranking.excluded) texts.push_back(excluded.reason.text);
  return texts;
}

/// Returns three choices: slow takes 1000 s at 3.6 USD/h (1 USD), fast 400 s at 18 USD/h (2 USD),
/// poor 1200 s at 9 USD/h (3 USD).
class ThreeMachines : public testing::Test {
 protected:
  std::vector<Candidate> candidates_{candidate("slow", 1000), candidate("fast", 400),
                                     candidate("poor", 1200)};
  std::vector<Offer> offers_{offer("s", "slow", "3.6"), offer("f", "fast", "18"),
                             offer("p", "poor", "9")};
};

TEST_F(ThreeMachines, ByCost) {
  const Ranking ranking = rank(candidates_, offers_, {});
  EXPECT_THAT(chosen_names(ranking), ElementsAre("s", "f", "p"));
  EXPECT_TRUE(ranking.excluded.empty());
  EXPECT_EQ(ranking.chosen[0].quote.total.mid, Money::parse("1"));
  EXPECT_DOUBLE_EQ(ranking.chosen[1].relative_cost, 2);
  EXPECT_DOUBLE_EQ(ranking.chosen[0].relative_time, 2.5);
  EXPECT_DOUBLE_EQ(ranking.chosen[1].score, 1.5);  // 0.5 * 2 + 0.5 * 1
  EXPECT_TRUE(ranking.chosen[0].on_pareto_front);
  EXPECT_TRUE(ranking.chosen[1].on_pareto_front);
  EXPECT_FALSE(ranking.chosen[2].on_pareto_front);
  EXPECT_DOUBLE_EQ(ranking.chosen[0].p_cheapest, 1);
  EXPECT_DOUBLE_EQ(ranking.chosen[1].p_fastest, 1);
  EXPECT_EQ(ranking.expected_regret, 0);
}

TEST_F(ThreeMachines, AllTrainingsCountWhateverIsExcluded) {
  offers_.push_back(offer("cheaper", "poor", "6"));  // 2 USD
  candidates_.push_back(failed("broken", "it crashed"));
  offers_.push_back(offer("b", "broken", "1"));
  const Ranking ranking =
      rank(candidates_, offers_,
           {.deadline = Seconds{1}, .max_cost = Money::parse("0.1"), .min_accuracy = 0.9});
  EXPECT_TRUE(ranking.chosen.empty());
  EXPECT_EQ(ranking.all_trainings.candidates, 3u);
  EXPECT_EQ(ranking.all_trainings.cost, Money::parse("5"));
}

TEST_F(ThreeMachines, AWaitIsTimeThatCostsNothing) {
  candidates_[1].wait_s = 700;  // fast: 1100 s to the result
  const Ranking ranking = rank(candidates_, offers_, {.by = Objective::time});
  EXPECT_THAT(chosen_names(ranking), ElementsAre("s", "f", "p"));
  EXPECT_EQ(ranking.chosen[1].quote.time.mid, Seconds{1100});
  EXPECT_EQ(ranking.chosen[1].quote.total.mid, Money::parse("2"));
  EXPECT_GT(ranking.chosen[0].p_fastest, 0.8);
}

TEST_F(ThreeMachines, ByTimeAndByScore) {
  EXPECT_THAT(chosen_names(rank(candidates_, offers_, {.by = Objective::time})),
              ElementsAre("f", "s", "p"));
  // Scores with weight 0.9: s 0.9 + 0.25 = 1.15, f 1.8 + 0.1 = 1.9, p 2.7 + 0.3 = 3.
  const Ranking ranking = rank(candidates_, offers_, {.by = Objective::score, .weight = 0.9});
  EXPECT_THAT(chosen_names(ranking), ElementsAre("s", "f", "p"));
  EXPECT_DOUBLE_EQ(ranking.chosen[0].score, 1.15);
  EXPECT_THAT(chosen_names(rank(candidates_, offers_, {.by = Objective::score, .weight = 0})),
              ElementsAre("f", "s", "p"));
  EXPECT_THROW(rank(candidates_, offers_, {.weight = 1.1}), Error);
  EXPECT_THROW(rank(candidates_, offers_, {.weight = std::nan("")}), Error);
}

TEST_F(ThreeMachines, LimitsExcludeWithReasons) {
  const Preferences preferences{.deadline = Seconds{1100}, .max_cost = Money::parse("1.5")};
  const Ranking ranking = rank(candidates_, offers_, preferences);
  EXPECT_THAT(chosen_names(ranking), ElementsAre("s"));
  EXPECT_THAT(reasons(ranking), ElementsAre("$2.00 is above the limit of $1.50",
                                            "20 min 00 s is past the deadline of 18 min 20 s; "
                                            "$3.00 is above the limit of $1.50"));
}

TEST_F(ThreeMachines, AccuracyMustBeKnownAndEnough) {
  candidates_[0].accuracy = 0.96;
  candidates_[1].accuracy = 0.98;
  const Ranking ranking = rank(candidates_, offers_, {.min_accuracy = 0.97});
  EXPECT_THAT(chosen_names(ranking), ElementsAre("f"));
  EXPECT_THAT(reasons(ranking),
              ElementsAre("accuracy 0.96 is below 0.97",
                          "accuracy not known, at least 0.97 is wanted: no run to its end with "
                          "these settings"));
}

TEST(Rank, RowsOutliveTheirRanking) {
  std::vector<Choice> rows;
  {
    std::vector<Candidate> candidates{candidate("a-machine-with-a-long-name", 10),
                                      candidate("b", 20)};
    std::vector<Offer> offers{offer("an-offer-with-a-long-name", "a-machine-with-a-long-name", "1"),
                              offer("b", "b", "2")};
    rows = rank(std::move(candidates), std::move(offers), {}).chosen;
  }
  EXPECT_EQ(rows[0].candidate->machine_type, "a-machine-with-a-long-name");
  EXPECT_EQ(rows[0].offer->name, "an-offer-with-a-long-name");
}

TEST(Rank, NothingGiven) {
  const Ranking ranking = rank({}, {}, {});
  EXPECT_TRUE(ranking.chosen.empty());
  EXPECT_TRUE(ranking.excluded.empty());
  EXPECT_TRUE(ranking.crossovers.empty());
}

TEST(Rank, WhatHasNoPartnerIsExcluded) {
  std::vector<Candidate> candidates{candidate("a", 10), candidate("b", 10), failed("c", "no laps")};
  candidates[1].offer = "special";
  const Ranking ranking = rank(candidates, {offer("z", "zzz", "1")}, {});
  EXPECT_TRUE(ranking.chosen.empty());
  EXPECT_THAT(reasons(ranking),
              ElementsAre("no price for machine type 'a'",
                          "no offer named 'special', and none for such a machine type", "no laps",
                          "no candidate for machine type 'zzz'"));
  EXPECT_EQ(ranking.excluded[0].candidate->machine_type, "a");
  EXPECT_EQ(ranking.excluded[0].offer, nullptr);
  EXPECT_EQ(ranking.excluded[3].candidate, nullptr);
  EXPECT_EQ(ranking.excluded[3].offer->name, "z");
}

TEST(Rank, WantedOfferByNameOrMachineType) {
  std::vector<Candidate> candidates{candidate("mine", 10), candidate("mine", 20)};
  candidates[0].offer = "second";
  candidates[1].offer = "p3.2xlarge";
  const std::vector<Offer> offers{offer("first", "mine", "1"), offer("second", "other", "2"),
                                  offer("aws", "p3.2xlarge", "3"), offer("x", "p3.2xlarge", "4")};
  const Ranking ranking = rank(candidates, offers, {});
  EXPECT_THAT(chosen_names(ranking), ElementsAre("second", "aws", "x"));
  EXPECT_THAT(reasons(ranking), ElementsAre("no candidate for machine type 'mine'"));
}

TEST(Rank, FailedCandidateIsExcludedWithEachOfItsOffers) {
  const Ranking ranking =
      rank({failed("a", "crashed: signal 9")}, {offer("1", "a", "1"), offer("2", "a", "2")}, {});
  ASSERT_EQ(ranking.excluded.size(), 2u);
  EXPECT_EQ(ranking.excluded[1].offer->name, "2");
  EXPECT_EQ(ranking.excluded[1].reason.text, "crashed: signal 9");
}

TEST(Rank, WhatIsNoTimeOrCannotBePricedIsExcluded) {
  const double inf = std::numeric_limits<double>::infinity();
  std::vector<Candidate> candidates{candidate("a", 0), candidate("a", -5), candidate("a", inf),
                                    candidate("a", std::nan("")), candidate("a", 1e10)};
  const Ranking ranking = rank(candidates, {offer("o", "a", "1")}, {});
  EXPECT_TRUE(ranking.chosen.empty());
  EXPECT_THAT(
      reasons(ranking),
      ElementsAre("the forecast is not a time above 0", "the forecast is not a time above 0",
                  "the forecast is not a time above 0", "the forecast is not a time above 0",
                  "288 years cannot be priced: more than 100 years"));
}

TEST(Rank, TiesInTheOrderOfCostTimeName) {
  // All take 100 s. "b" and "a" cost the same, "c" costs less.
  const std::vector<Offer> offers{offer("b", "m", "2"), offer("a", "m", "2"), offer("c", "m", "1")};
  const Ranking ranking = rank({candidate("m", 100)}, offers, {.by = Objective::time});
  EXPECT_THAT(chosen_names(ranking), ElementsAre("c", "a", "b"));
  EXPECT_EQ(ranking.chosen[0].p_fastest, 1);  // of equals the first counts
}

TEST(Rank, ProbabilityFollowsTheLognormals) {
  // The prices are equal, the times 1000 s and 1050 s, both +-10 %: sigma = ln(1.1) / 1.96 =
  // 0.048628, z = ln(1.05) / (sqrt(2) * sigma) = 0.70946, Phi(z) = 0.76097.
  std::vector<Offer> offers{offer("a", "a", "3.6"), offer("b", "b", "3.6")};
  for (Offer& o : offers) o.billing.step_ns = 0;
  const Ranking ranking = rank({candidate("a", 1000), candidate("b", 1050)}, offers, {});
  EXPECT_NEAR(ranking.chosen[0].p_cheapest, 0.76097, 1e-3);
  EXPECT_NEAR(ranking.chosen[1].p_cheapest, 1 - 0.76097, 1e-3);
  EXPECT_NEAR(ranking.chosen[0].p_fastest, 0.76097, 1e-3);
  EXPECT_GT(ranking.expected_regret, 0.005);
  EXPECT_LT(ranking.expected_regret, 0.02);
}

TEST(Rank, CandidatesOfOneRunShareItsLuck) {
  std::vector<Candidate> candidates{candidate("a", 1000, 0.5), candidate("b", 1050, 0.5)};
  candidates[1].run_id = candidates[0].run_id;
  const std::vector<Offer> offers{offer("a", "a", "3.6"), offer("b", "b", "3.6")};
  EXPECT_DOUBLE_EQ(rank(candidates, offers, {}).chosen[0].p_cheapest, 1);
  candidates[0].run_id.clear();
  candidates[1].run_id.clear();  // no runs: each stands alone
  EXPECT_LT(rank(candidates, offers, {}).chosen[0].p_cheapest, 0.7);
}

TEST(Rank, BillingMayDecideWhichOfferIsCheapest) {
  // 3500 s +-10 %: by exact use at 3.6 USD/h it costs 3.5 USD; by the hour at 3.4 USD/h it costs
  // 3.4 USD up to 3600 s and 6.8 beyond. ln(3600 / 3500) / (ln(1.1) / 1.96) = 0.5793, Phi = 0.7188;
  // below 3400 s the one by exact use is cheaper: ln(3400 / 3500) / ... = -0.5961, Phi = 0.2756.
  std::vector<Offer> offers{offer("exact", "m", "3.6"), offer("hour", "m", "3.4")};
  offers[0].billing.step_ns = 0;
  offers[1].billing.step_ns = 3'600'000'000'000;
  const Ranking ranking = rank({candidate("m", 3500)}, offers, {});
  EXPECT_THAT(chosen_names(ranking), ElementsAre("hour", "exact"));
  EXPECT_NEAR(ranking.chosen[0].p_cheapest, 0.7188 - 0.2756, 1e-3);
}

TEST(Rank, FreeMachinesAreRelativelyInfinitelyCheaper) {
  const std::vector<Offer> offers{offer("free", "a", "0"), offer("paid", "b", "1")};
  const Ranking ranking =
      rank({candidate("a", 1000), candidate("b", 10)}, offers, {.by = Objective::score});
  EXPECT_THAT(chosen_names(ranking), ElementsAre("free", "paid"));
  EXPECT_EQ(ranking.chosen[0].relative_cost, 1);
  EXPECT_TRUE(std::isinf(ranking.chosen[1].relative_cost));
  EXPECT_EQ(ranking.chosen[0].p_cheapest, 1);
  EXPECT_EQ(ranking.expected_regret, 0);
}

// 95 % of the forecast lie within 1 h 40 min and 2 h 24 min around 2 h: 2.5 % are later than that.
TEST(Rank, ARiskLimitsTheChanceToBeLate) {
  Candidate sure = test::candidate("sure", 7200, 0.2);
  Candidate close = test::candidate("close", 7200, 0.5);
  const auto ranked = [&](double deadline, std::optional<double> risk) {
    return rank({sure, close},
                {test::offer("sure", "sure", "1"), test::offer("close", "close", "1")},
                {.deadline = Seconds{deadline}, .risk = risk});
  };
  EXPECT_EQ(ranked(7300, std::nullopt).chosen.size(), 2u);
  EXPECT_TRUE(ranked(7300, 0.05).chosen.empty());
  const Ranking most = ranked(7200 * 1.2, 0.05);
  ASSERT_EQ(most.chosen.size(), 1u);
  EXPECT_EQ(most.chosen[0].candidate->machine_type, "sure");
  EXPECT_NEAR(*most.chosen[0].p_late, 0.025, 0.001);
  EXPECT_THAT(most.excluded[0].reason.text, testing::HasSubstr("the chance to miss the deadline"));
  // A deadline is for one run: that its mean is known well changes nothing.
  sure.cases = std::make_shared<const std::vector<double>>(kCases, 7200.0);
  EXPECT_NEAR(*ranked(7200 * 1.2, 0.05).chosen[0].p_late, 0.025, 0.001);
  EXPECT_THROW(rank({}, {}, {.risk = 0.05}), Error);
  EXPECT_THROW(rank({}, {}, {.method = Method::epoch, .deadline = Seconds{9}, .risk = 0.05}),
               Error);
}

}  // namespace
}  // namespace lapcast

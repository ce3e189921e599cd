#include "stats/rank_correlation.h"

#include <gmock/gmock.h>

#include <random>
#include <vector>

namespace lapcast {
namespace {

std::optional<double> tau(const std::vector<double>& a, const std::vector<double>& b) {
  return rank_agreement(a, b).tau();
}

TEST(RankCorrelation, IsOneForTheSameOrderAndMinusOneForTheOpposite) {
  EXPECT_DOUBLE_EQ(tau({1, 2, 3, 4}, {10, 20, 30, 1e308}).value(), 1);
  EXPECT_DOUBLE_EQ(tau({1, 2, 3, 4}, {4, 3, 2, 1}).value(), -1);
}

// Only the pair (2, 3) of the 6 is ordered the other way round: (5 - 1) / 6.
TEST(RankCorrelation, CountsPairs) {
  const std::vector<double> a{1, 2, 3, 4};
  const std::vector<double> b{1, 3, 2, 4};
  EXPECT_EQ(rank_agreement(a, b).discordant, 1);
  EXPECT_EQ(rank_agreement(a, b).concordant, 5);
  EXPECT_DOUBLE_EQ(tau(a, b).value(), 4.0 / 6);
}

// a has one tie, b another: 10 pairs, 8 are concordant, none discordant, 9 are not tied in a, 9 not
// in b: 8 / sqrt(9 * 9).
TEST(RankCorrelation, CountsTies) {
  const RankAgreement found =
      rank_agreement(std::vector<double>{1, 1, 2, 3, 4}, std::vector<double>{1, 2, 3, 3, 4});
  EXPECT_EQ(found.tied_a, 1);
  EXPECT_EQ(found.tied_b, 1);
  EXPECT_EQ(found.concordant, 8);
  EXPECT_EQ(found.discordant, 0);
  EXPECT_DOUBLE_EQ(found.tau().value(), 8.0 / 9);
}

TEST(RankCorrelation, IsNotKnownWhereNothingIsOrdered) {
  EXPECT_FALSE(tau({}, {}));
  EXPECT_FALSE(tau({1}, {2}));
  EXPECT_FALSE(tau({5, 5, 5}, {1, 2, 3}));
  EXPECT_FALSE(tau({1, 2, 3}, {0, 0, 0}));
}

TEST(RankCorrelation, AgreesWithTheCountOfEveryPair) {
  std::mt19937 random(19);
  for (int round = 0; round < 200; ++round) {
    std::uniform_int_distribution<int> value(0, 1 + round % 9);
    std::vector<double> a, b;
    for (int i = 0; i < round % 23; ++i) a.push_back(value(random)), b.push_back(value(random));
    RankAgreement counted;
    for (std::size_t i = 0; i < a.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const double product = (a[i] - a[j]) * (b[i] - b[j]);
        ++counted.pairs;
        counted.tied_a += a[i] == a[j];
        counted.tied_b += b[i] == b[j];
        counted.concordant += product > 0;
        counted.discordant += product < 0;
      }
    }
    const RankAgreement found = rank_agreement(a, b);
    EXPECT_EQ(found.pairs, counted.pairs);
    EXPECT_EQ(found.tied_a, counted.tied_a);
    EXPECT_EQ(found.tied_b, counted.tied_b);
    EXPECT_EQ(found.concordant, counted.concordant);
    EXPECT_EQ(found.discordant, counted.discordant);
    EXPECT_EQ(found.tau(), counted.tau());
  }
}

}  // namespace
}  // namespace lapcast

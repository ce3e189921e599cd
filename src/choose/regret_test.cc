#include "choose/regret.h"

#include <gtest/gtest.h>

#include <vector>

namespace lapcast {
namespace {

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

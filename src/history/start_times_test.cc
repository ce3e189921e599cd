#include "history/start_times.h"

#include <gtest/gtest.h>

namespace lapcast {
namespace {

LapProfile started(double init_s, StartKind kind = StartKind::warm) {
  LapProfile profile;
  profile.init = Seconds{init_s};
  profile.start = kind;
  return profile;
}

/// Holds starts on one machine.
struct StartsOfOne {
  StartTimes times;

  StartsOfOne& warm(const std::string& candidate, double init_s) {
    times.add("m", candidate, started(init_s), CacheState::unknown);
    return *this;
  }
  StartsOfOne& cold(const std::string& candidate, double init_s) {
    times.add("m", candidate, started(init_s, StartKind::cold), CacheState::unknown);
    return *this;
  }
  StartsOfOne& compiled(const std::string& candidate, double init_s) {
    times.add("m", candidate, started(init_s), CacheState::cold);
    return *this;
  }
  Interval<Seconds> next(const std::string& candidate) const {
    const auto next = times.next_of("m", candidate);
    EXPECT_TRUE(next);
    return next.value_or(Interval<Seconds>{});
  }
};

void expect_near(const Interval<Seconds>& time, double low, double mid, double high) {
  EXPECT_NEAR(time.low.count(), low, 0.005);
  EXPECT_NEAR(time.mid.count(), mid, 0.005);
  EXPECT_NEAR(time.high.count(), high, 0.005);
}

// The geometric mean of 10 and 12.1 is 11; each is ln(1.1) = 0.09531 off. The sum of squares over
// 0.1^2 is 1.8168, so variances are (4 + 1.8168) / (4 + 1) = 1.1634 times as large. The half-width
// is 1.96 sqrt(1.1634 (0.01 + 0.01 / 2)) = 0.25891.
TEST(StartTimes, TheNextIsTheMeanOfSome) {
  expect_near(StartsOfOne().warm("a", 10).warm("a", 12.1).next("a"), 8.491, 11, 14.251);
}

// The weights are 200 each, and 0.34657 from the mean: q = 48.045, the variance between candidates
// is 47.045 / 200 = 0.23523. The mean counts 1 / (0.23523 + 0.0025) = 4.2065 beside 200.
TEST(StartTimes, CandidatesAreDrawnToTheMeanAsFarAsTheyAgree) {
  const auto made = StartsOfOne().warm("a", 10).warm("a", 10).warm("b", 20).warm("b", 20);
  EXPECT_NEAR(made.next("a").mid.count(), 10.0716, 0.001);
  const auto alike = StartsOfOne().warm("a", 10).warm("a", 10).warm("b", 10.2).warm("b", 10.2);
  EXPECT_EQ(alike.next("a"), alike.next("b"));
}

TEST(StartTimes, AStartThatCompiledIsNotPooledWithWarmOnes) {
  const auto warm = StartsOfOne().warm("a", 10).warm("a", 12).warm("b", 11);
  auto both = warm;
  both.compiled("a", 38).compiled("b", 40);
  EXPECT_EQ(both.next("a"), warm.next("a"));
  EXPECT_EQ(both.next("b"), warm.next("b"));
  EXPECT_NEAR(both.times.cold_of("m", "a")->count(), 38, 1e-9);
  EXPECT_FALSE(warm.times.cold_of("m", "a"));
}

TEST(StartTimes, AColdStartOfTheMachineIsNotPooledWithWarmOnes) {
  const auto warm = StartsOfOne().warm("a", 10).warm("a", 10.5);
  auto both = warm;
  both.cold("a", 23);
  EXPECT_EQ(both.next("a"), warm.next("a"));
}

// The warm mean has the variance 0.005, and another candidate one of 0.04 around it: it counts
// 1 / 0.045 = 22.22. The start that compiled has a deviation of 1 and counts 1: ln(4) / 23.22 =
// 0.0597 above 10 s. The half-width is 1.96 sqrt(4 / 5 (0.01 + 1 / 23.22)) = 0.40381.
TEST(StartTimes, OneThatOnlyCompiledStartsNextAsOthersThatDidNot) {
  const auto made = StartsOfOne().compiled("a", 40).warm("b", 10).warm("b", 10);
  expect_near(made.next("a"), 7.089, 10.615, 15.897);
}

// A cold start without compiling has a deviation of 0.3 and counts 11.11 beside 22.22: a third of
// ln(2).
TEST(StartTimes, OneThatOnlyStartedColdIsBetweenThatAndOthers) {
  const auto made = StartsOfOne().cold("a", 20).warm("b", 10).warm("b", 10);
  EXPECT_NEAR(made.next("a").mid.count(), 12.599, 0.001);
}

// The half-width is 1.96 sqrt(4 / 5 (0.09 + 0.09 / 2)) = 0.64411: a warm start may come.
TEST(StartTimes, ColdOnesAreTheBestThatIsKnownWhereNoneIsWarm) {
  expect_near(StartsOfOne().cold("a", 12).cold("b", 12).next("a"), 6.302, 12, 22.851);
}

TEST(StartTimes, OneThatCompilesAlwaysCompilesNext) {
  const auto made = StartsOfOne().compiled("a", 30).compiled("a", 30).warm("b", 10).warm("b", 10);
  EXPECT_NEAR(made.next("a").mid.count(), 30, 1e-9);
  EXPECT_NEAR(made.next("b").mid.count(), 10, 1e-9);
}

TEST(StartTimes, OneStartAloneSaysNoMoreThanItself) {
  EXPECT_FALSE(StartsOfOne().warm("a", 10).times.next_of("m", "a"));
  EXPECT_FALSE(StartsOfOne().compiled("a", 10).times.next_of("m", "a"));
  EXPECT_FALSE(StartsOfOne().warm("a", 10).warm("a", 10).times.next_of("m", "b"));
  EXPECT_FALSE(StartsOfOne().warm("a", 10).warm("a", 10).times.next_of("other", "a"));
}

}  // namespace
}  // namespace lapcast

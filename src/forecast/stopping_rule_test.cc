#include "forecast/stopping_rule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "forecast/fake_log_test.h"
#include "stats/series_test.h"

namespace lapcast {
namespace {

TEST(StoppingRule, NothingYet) {
  EXPECT_EQ(StoppingRuleJudge(StoppingRule{}).judge({}).text, "no laps yet");
  const Verdict none = judge(std::span<const double>(), StoppingRule{});
  EXPECT_FALSE(none.enough);
  EXPECT_EQ(none.text, "0 of 10 steady laps");
  EXPECT_TRUE(std::isinf(none.half_width));
  EXPECT_EQ(none.laps_needed, 10);
  EXPECT_FALSE(judge(std::vector<double>{1.0}, StoppingRule{}).enough);
}

// The first of steady laps without noise is warm-up, so 11 laps are the least.
TEST(StoppingRule, TenSteadyLaps) {
  const std::vector<double> laps(11, 0.25);
  const Verdict ten = judge(std::span(laps).first(10), StoppingRule{});
  EXPECT_EQ(ten.text, "9 of 10 steady laps");
  EXPECT_EQ(ten.laps_needed, 1);
  const Verdict eleven = judge(laps, StoppingRule{});
  EXPECT_TRUE(eleven.enough);
  EXPECT_EQ(eleven.steady_laps, 10);
  EXPECT_EQ(eleven.laps_needed, 0);
  EXPECT_DOUBLE_EQ(eleven.steady_lap.count(), 0.25);
}

// A limit of laps or time ends a probe that is to reach a precision of 0, even without any noise.
TEST(StoppingRule, APrecisionOfZeroIsNeverReached) {
  const Verdict verdict = judge(std::vector<double>(1000, 0.25), StoppingRule{.precision = 0});
  EXPECT_FALSE(verdict.enough);
  EXPECT_GT(verdict.laps_needed, 0);
}

TEST(StoppingRule, ShortLapsMustFillHalfASecond) {
  const Verdict verdict = judge(std::vector<double>(101, 0.001), StoppingRule{});
  EXPECT_FALSE(verdict.enough);
  EXPECT_EQ(verdict.text, "100 ms of 500 ms steady");
  EXPECT_EQ(verdict.laps_needed, 400);
}

TEST(StoppingRule, LapsThatTakeNoTime) {
  EXPECT_FALSE(judge(std::vector<double>(50, 0.0), StoppingRule{}).enough);
}

// With 20 % noise a precision of 2 % needs about (1.96 * 0.2 / 0.02)^2 = 384 laps.
TEST(StoppingRule, PrecisionDecides) {
  std::mt19937_64 generator(41);
  const std::vector<double> laps = noisy_laps(generator, 2000, 0.2);
  const Verdict few = judge(std::span(laps).first(50), StoppingRule{});
  EXPECT_FALSE(few.enough);
  EXPECT_NE(few.text.find("wanted 2.0 %"), std::string::npos) << few.text;
  EXPECT_GT(few.laps_needed, 100);
  EXPECT_LT(few.laps_needed, 1500);
  EXPECT_TRUE(judge(laps, StoppingRule{}).enough);
  EXPECT_TRUE(judge(std::span(laps).first(50), StoppingRule{.precision = 0.2}).enough);
}

TEST(StoppingRule, AutocorrelatedLapsTakeLonger) {
  std::mt19937_64 generator(42);
  const auto laps_until_enough = [&](double rho) {
    double sum = 0;
    for (int i = 0; i < 20; ++i) {
      const std::vector<double> laps = noisy_laps(generator, 2000, 0.1, rho);
      std::size_t n = 11;
      while (n < laps.size() && !judge(std::span(laps).first(n), StoppingRule{}).enough) n += 10;
      sum += static_cast<double>(n) / 20;
    }
    return sum;
  };
  EXPECT_GT(laps_until_enough(0.6), 2 * laps_until_enough(0));
}

// Stopping as soon as the interval is narrow enough favours runs that look calm by chance; it must
// still cover about as promised.
TEST(StoppingRule, StoppingEarlyStillCovers) {
  std::mt19937_64 generator(43);
  for (double rho : {0.0, 0.4}) {
    const double covered = share_of(200, [&] {
      const std::vector<double> laps = noisy_laps(generator, 3000, 0.05, rho);
      for (std::size_t n = 11;; n += 1 + n / 20) {
        const Verdict verdict = judge(std::span(laps).first(n), StoppingRule{});
        if (verdict.enough) return std::abs(verdict.steady_lap.count() - 1) <= 0.02;
      }
    });
    EXPECT_GE(covered, 0.85) << rho;
  }
}

TEST(StoppingRule, LongSeriesAreLookedAtInBlocks) {
  const std::vector<double> laps(100000, 0.001);
  const Verdict verdict = judge(laps, StoppingRule{});
  EXPECT_TRUE(verdict.enough);
  EXPECT_GT(verdict.steady_laps, 99000);
}

TEST(StoppingRuleJudge, LooksAgainOnlyWhenThereAreMoreLaps) {
  FakeLog fake;
  StoppingRuleJudge rule{StoppingRule{}};
  fake.laps(100, 0.001);
  EXPECT_FALSE(rule.judge(fake.log.laps).enough);
  const Verdict* before = &rule.judge(fake.log.laps);
  fake.laps(4, 0.001);
  EXPECT_EQ(before->steady_laps, rule.judge(fake.log.laps).steady_laps);  // not 10 % more
  fake.laps(600, 0.001);
  EXPECT_TRUE(rule.judge(fake.log.laps).enough);
}

TEST(StoppingRuleJudge, FewerLapsAreOthersAndJudgedAnew) {
  FakeLog fake;
  StoppingRuleJudge rule{StoppingRule{}};
  fake.laps(1000, 0.001);
  EXPECT_TRUE(rule.judge(fake.log.laps).enough);
  FakeLog others;
  others.laps(3, 0.2);
  EXPECT_FALSE(rule.judge(others.log.laps).enough);
  EXPECT_EQ(rule.judge(others.log.laps).text, "2 of 10 steady laps");
}

}  // namespace
}  // namespace lapcast

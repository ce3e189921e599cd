#include "core/money.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "core/error.h"

namespace lapcast {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kHourNs = 3'600'000'000'000;

HourlyPrice per_hour(std::string_view dollars) {
  return {Money::parse(dollars)};
}

TEST(Money, ParsesDecimals) {
  EXPECT_EQ(Money::parse("12.24").nanos(), 12'240'000'000);
  EXPECT_EQ(Money::parse("0.000000001").nanos(), 1);
  EXPECT_EQ(Money::parse("-3").nanos(), -3'000'000'000);
  EXPECT_EQ(Money::parse("-0.5").nanos(), -500'000'000);
  EXPECT_EQ(Money::parse("0").nanos(), 0);
  EXPECT_EQ(Money::parse("007.10").nanos(), 7'100'000'000);
  EXPECT_EQ(Money::parse("9223372036.854775807").nanos(), kMax);
  EXPECT_EQ(Money::parse("-9223372036.854775808").nanos(), kMin);
}

TEST(Money, RefusesWhatIsNoDecimal) {
  for (const char* text : {"",
                           "-",
                           ".",
                           "1.",
                           ".5",
                           "--1",
                           "+1",
                           "$1",
                           "1e3",
                           "1,5",
                           " 1",
                           "1 ",
                           "0x1",
                           "nan",
                           "inf",
                           "1.0000000001",
                           "1.2.3",
                           "9223372036.854775808",
                           "1000000000000000000",
                           "1000000000000000000000000000"}) {
    EXPECT_THROW(Money::parse(text), Error) << text;
  }
}

TEST(Money, AddsExactlyAndRefusesOverflow) {
  EXPECT_EQ(Money::parse("0.1") + Money::parse("0.2"), Money::parse("0.3"));
  EXPECT_EQ(Money::parse("0.1") - Money::parse("0.2"), Money::parse("-0.1"));
  EXPECT_THROW(Money::from_nanos(kMax) + Money::from_nanos(1), Error);
  EXPECT_THROW(Money::from_nanos(kMin) - Money::from_nanos(1), Error);
}

TEST(SaturatingSum, StopsAtTheEnds) {
  EXPECT_EQ(saturating_sum(Money::parse("0.1"), Money::parse("0.2")), Money::parse("0.3"));
  EXPECT_EQ(saturating_sum(Money::from_nanos(kMax), Money::from_nanos(1)).nanos(), kMax);
  EXPECT_EQ(saturating_sum(Money::from_nanos(kMin), Money::from_nanos(-1)).nanos(), kMin);
  EXPECT_EQ(saturating_sum(Money::from_nanos(kMax), Money::from_nanos(kMin)).nanos(), -1);
}

TEST(CostOf, HandWorkedBills) {
  EXPECT_EQ(cost_of(per_hour("12.24"), kHourNs), Money::parse("12.24"));
  // 59.3 s * 12.24 USD/h = 725.832 / 3600 is 0.20162 USD, where table 4.1 of Malta 2021 prints
  // 0.05.
  EXPECT_EQ(cost_of(per_hour("12.24"), 59'300'000'000), Money::parse("0.20162"));
  EXPECT_EQ(cost_of(per_hour("0.90"), 0), Money{});
  // 1 nano-dollar/h is half a nano-dollar for half an hour, which is rounded to the even 0, and for
  // 1.5 h it is rounded to the even 2.
  EXPECT_EQ(cost_of(HourlyPrice{Money::from_nanos(1)}, kHourNs / 2).nanos(), 0);
  EXPECT_EQ(cost_of(HourlyPrice{Money::from_nanos(1)}, kHourNs / 2 + 1).nanos(), 1);
  EXPECT_EQ(cost_of(HourlyPrice{Money::from_nanos(1)}, kHourNs / 2 * 3).nanos(), 2);
  EXPECT_THROW(cost_of(HourlyPrice{Money::from_nanos(kMax)}, 2 * kHourNs), Error);
}

TEST(Scaled, RoundsHalfToEvenOnce) {
  EXPECT_EQ(scaled(Money::from_nanos(5), 0.5).nanos(), 2);
  EXPECT_EQ(scaled(Money::from_nanos(7), 0.5).nanos(), 4);
  EXPECT_EQ(scaled(Money::from_nanos(-5), 0.5).nanos(), -2);
  EXPECT_EQ(scaled(Money::parse("8.00"), 0.25), Money::parse("2"));
  EXPECT_EQ(scaled(Money::parse("8.00"), -1), Money::parse("-8"));
  EXPECT_EQ(scaled(Money::from_nanos(kMax), 1).nanos(), kMax);  // a double could not hold it
  EXPECT_EQ(scaled(Money::from_nanos(1), 1048576).nanos(), 1048576);
  EXPECT_EQ(scaled(Money::from_nanos(kMax), 1e-300).nanos(), 0);
  EXPECT_EQ(scaled(Money{}, 1e300).nanos(), 0);
  EXPECT_EQ(scaled(Money::from_nanos(1), std::ldexp(1.0, 62)).nanos(), std::int64_t{1} << 62);
}

TEST(Scaled, RefusesWhatIsOutOfRange) {
  EXPECT_THROW(scaled(Money::from_nanos(kMax), 1.5), Error);
  EXPECT_THROW(scaled(Money::from_nanos(1), 1e300), Error);
  EXPECT_THROW(scaled(Money::from_nanos(1), std::ldexp(1.0, 63)), Error);
  EXPECT_THROW(scaled(Money::from_nanos(1), std::nan("")), Error);
  EXPECT_THROW(scaled(Money{}, std::numeric_limits<double>::infinity()), Error);
}

TEST(MoneyText, ExactIsShortest) {
  EXPECT_EQ(exact_decimal(Money::parse("12.240")), "12.24");
  EXPECT_EQ(exact_decimal(Money::from_nanos(1)), "0.000000001");
  EXPECT_EQ(exact_decimal(Money::parse("-3")), "-3");
  EXPECT_EQ(exact_decimal(Money{}), "0");
  EXPECT_EQ(exact_decimal(Money::from_nanos(kMin)), "-9223372036.854775808");
}

TEST(MoneyText, RoundedForPeople) {
  EXPECT_EQ(dollar_text(Money::parse("12.235")), "$12.24");
  EXPECT_EQ(dollar_text(Money::parse("12.2349")), "$12.23");
  EXPECT_EQ(dollar_text(Money::parse("0.0031415")), "$0.00314");
  EXPECT_EQ(dollar_text(Money::parse("0.20162")), "$0.202");
  EXPECT_EQ(dollar_text(Money::parse("0.2")), "$0.20");
  EXPECT_EQ(dollar_text(Money::parse("0.99996")), "$1.00");
  EXPECT_EQ(dollar_text(Money::parse("-1.005")), "-$1.01");
  EXPECT_EQ(dollar_text(Money{}), "$0.00");
  EXPECT_EQ(dollar_text(Money::from_nanos(3)), "$0.000000003");
  EXPECT_EQ(dollar_text(Money::from_nanos(kMax)), "$9223372036.85");
}

TEST(MoneyText, ParseReadsBackWhatExactWrites) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    const auto nanos = static_cast<std::int64_t>(random()) >> (random() % 63);
    const Money amount = Money::from_nanos(nanos);
    EXPECT_EQ(Money::parse(exact_decimal(amount)), amount);
  }
}

TEST(CostOf, GrowsWithTimeAndPrice) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 2000; ++i) {
    const auto ns = static_cast<std::int64_t>(random() % (1000 * kHourNs / 3600));
    const HourlyPrice price{
        Money::from_nanos(static_cast<std::int64_t>(random() % 50'000'000'000))};
    EXPECT_LE(cost_of(price, ns), cost_of(price, ns + 1));
    EXPECT_LE(cost_of(price, ns), cost_of({price.per_hour + Money::from_nanos(1)}, ns));
    EXPECT_NEAR(cost_of(price, ns).dollars(),
                price.per_hour.dollars() * static_cast<double>(ns) / 3.6e12, 1e-9);
  }
}

}  // namespace
}  // namespace lapcast

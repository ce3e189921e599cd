#include "price/quote.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/error.h"

namespace lapcast {
namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;

Offer offer_at(std::string_view dollars_per_hour, Billing billing = {}) {
  Offer offer;
  offer.price = {Money::parse(dollars_per_hour)};
  offer.billing = billing;
  return offer;
}

Interval<Seconds> seconds(double low, double mid, double high) {
  return {Seconds{low}, Seconds{mid}, Seconds{high}};
}

Interval<Seconds> exactly(double value) {
  return Interval<Seconds>::exactly(Seconds{value});
}

TEST(BilledTime, StepsAndMinimum) {
  const auto billed = [](std::int64_t step, std::int64_t minimum, std::int64_t used) {
    return billed_time({step, minimum}, used);
  };
  EXPECT_EQ(billed(0, 0, 7), 7);
  EXPECT_EQ(billed(10, 0, 0), 0);
  EXPECT_EQ(billed(10, 0, 1), 10);
  EXPECT_EQ(billed(10, 0, 10), 10);
  EXPECT_EQ(billed(10, 0, 11), 20);
  EXPECT_EQ(billed(10, 60, 11), 60);
  EXPECT_EQ(billed(10, 60, 61), 70);
  EXPECT_EQ(billed(10, 60, 0), 60);
  EXPECT_EQ(billed(0, 60, 59), 60);
  EXPECT_THROW(billed(10, 0, std::numeric_limits<std::int64_t>::max()), Error);
}

// 3.60 USD/h is 0.001 USD/s: 30 s of boot, 20 s of set-up, 50 s of sending and 100 s of training.
TEST(Quote, WhatIsBeforeTheTrainingIsBilled) {
  Offer offer = offer_at("3.60");
  offer.boot_ns = 30 * kSecondNs;
  const Demand before{.before = {.preparation = Seconds{20}, .data_in = Seconds{50}}};
  const Quote result = *quote(offer, seconds(80, 100, 160), before);
  ASSERT_EQ(result.lines.size(), 4u);
  EXPECT_EQ(result.lines[1].item, LineItem::preparation);
  EXPECT_EQ(result.lines[1].amount, Money::parse("0.02"));
  EXPECT_EQ(result.lines[2].item, LineItem::data_in);
  EXPECT_EQ(result.lines[2].amount, Money::parse("0.05"));
  EXPECT_EQ(result.total.low, Money::parse("0.18"));
  EXPECT_EQ(result.total.mid, Money::parse("0.2"));
  EXPECT_EQ(result.total.high, Money::parse("0.26"));
  EXPECT_EQ(result.time.mid, Seconds{200});
  EXPECT_EQ(affordable_time(offer, Money::parse("0.2"), before), Seconds{100});
  EXPECT_FALSE(affordable_time(offer, Money::parse("0.09"), before));
  EXPECT_FALSE(quote(offer, exactly(100), {.before = {.data_in = Seconds{-1}}}));
}

/// Returns an offer at 3.60 USD/h with all other prices.
Offer offer_with_all_prices() {
  Offer offer = offer_at("3.60");
  offer.other = {.licence = {Money::parse("0.36")},
                 .storage_per_gb_month = Money::parse("0.073"),
                 .snapshots_per_gb_month = Money::parse("0.05"),
                 .egress_per_gb = Money::parse("0.09"),
                 .tax = 0.2};
  return offer;
}

// One hour, a quarter of it validation. 100 GB at 0.073 USD in 730 h are 0.01 USD/h; 50 GB kept for
// a month are 2.50 USD, and 10 GB sent away 0.90. Together 3.60 + 0.36 + 0.01 + 2.50 + 0.90 = 7.37,
// of which 20 % are 1.474.
TEST(Quote, OtherPricesHaveLinesAndAreTaxed) {
  const Demand demand{.validation = Seconds{900},
                      .disk_bytes = 100'000'000'000,
                      .snapshot_bytes = 50'000'000'000,
                      .snapshots_kept = Seconds{730 * 3600},
                      .egress_bytes = 10'000'000'000};
  const Quote result = *quote(offer_with_all_prices(), seconds(1800, 3600, 7200), demand);
  const std::pair<LineItem, const char*> expected[] = {
      {LineItem::training, "2.70"}, {LineItem::validation, "0.90"}, {LineItem::licence, "0.36"},
      {LineItem::storage, "0.01"},  {LineItem::snapshots, "2.50"},  {LineItem::egress, "0.90"},
      {LineItem::tax, "1.474"}};
  ASSERT_EQ(result.lines.size(), std::size(expected));
  for (std::size_t i = 0; i < std::size(expected); ++i) {
    EXPECT_EQ(result.lines[i].item, expected[i].first);
    EXPECT_EQ(result.lines[i].amount, Money::parse(expected[i].second));
  }
  EXPECT_EQ(result.total.mid, Money::parse("8.844"));
  EXPECT_EQ(result.total.low, Money::parse("6.462"));    // 1.2 * (1.985 + 3.40)
  EXPECT_EQ(result.total.high, Money::parse("13.608"));  // 1.2 * (7.94 + 3.40)
  EXPECT_EQ(affordable_time(offer_with_all_prices(), Money::parse("8.844"), demand), Seconds{3600});
}

TEST(Quote, OtherPricesOfAnyDemandSum) {
  std::mt19937_64 random(20261125);
  const auto some = [&](double most) { return most * std::generate_canonical<double, 53>(random); };
  for (int i = 0; i < 1000; ++i) {
    Offer offer = offer_with_all_prices();
    offer.other.tax = some(1);
    offer.billing.step_ns = static_cast<std::int64_t>(some(1e13));
    const Demand demand{.before = {Seconds{some(1e4)}, Seconds{some(1e4)}},
                        .validation = Seconds{some(1e5)},
                        .disk_bytes = static_cast<std::int64_t>(some(1e15)),
                        .snapshot_bytes = static_cast<std::int64_t>(some(1e15)),
                        .snapshots_kept = Seconds{some(1e7)},
                        .egress_bytes = static_cast<std::int64_t>(some(1e15))};
    const Quote result = *quote(offer, exactly(some(1e5)), demand);
    Money sum;
    for (const QuoteLine& line : result.lines) sum += line.amount;
    EXPECT_EQ(sum, result.total.mid);
    EXPECT_EQ(result.total.low, result.total.mid);
    EXPECT_EQ(result.total.high, result.total.mid);
  }
}

TEST(Quote, BootTrainingAndRoundUp) {
  // 3.60 USD/h is 0.001 USD/s. By the minute, 30 s of boot and 100 s of training are billed as 180
  // s.
  Offer offer = offer_at("3.60", {60 * kSecondNs, 0});
  offer.boot_ns = 30 * kSecondNs;
  const Quote result = *quote(offer, seconds(80, 100, 160));
  ASSERT_EQ(result.lines.size(), 3u);
  EXPECT_EQ(result.lines[0].item, LineItem::boot);
  EXPECT_EQ(result.lines[0].amount, Money::parse("0.03"));
  EXPECT_EQ(result.lines[1].item, LineItem::training);
  EXPECT_EQ(result.lines[1].amount, Money::parse("0.1"));
  EXPECT_EQ(result.lines[2].item, LineItem::billing_round_up);
  EXPECT_EQ(result.lines[2].billed_ns, 50 * kSecondNs);
  EXPECT_EQ(result.lines[2].amount, Money::parse("0.05"));
  EXPECT_EQ(result.total.low, Money::parse("0.12"));  // 110 s -> 120 s
  EXPECT_EQ(result.total.mid, Money::parse("0.18"));
  EXPECT_EQ(result.total.high, Money::parse("0.24"));  // 190 s -> 240 s
  EXPECT_EQ(result.time, seconds(110, 130, 190));
}

TEST(Quote, ExactUseHasOneLine) {
  const Quote result = *quote(offer_at("12.24"), exactly(3600));
  ASSERT_EQ(result.lines.size(), 1u);
  EXPECT_EQ(result.lines[0].item, LineItem::training);
  EXPECT_EQ(result.total, Interval<Money>::exactly(Money::parse("12.24")));
}

TEST(Quote, NothingUsedCostsTheMinimum) {
  EXPECT_EQ(quote(offer_at("3.60"), exactly(0))->total.mid, Money{});
  EXPECT_TRUE(quote(offer_at("3.60"), exactly(0))->lines.empty());
  const Quote minimum = *quote(offer_at("3.60", {kSecondNs, 60 * kSecondNs}), exactly(0));
  EXPECT_EQ(minimum.total.mid, Money::parse("0.06"));
}

TEST(Quote, SaysWhyWhatCannotBePricedIsNot) {
  const auto why_not = [](const Offer& offer, const Interval<Seconds>& time) {
    const auto result = quote(offer, time);
    return result ? "" : result.error().text;
  };
  const Offer offer = offer_at("1");
  EXPECT_EQ(why_not(offer, exactly(3e9)), "");
  EXPECT_EQ(why_not(offer, exactly(-1)), "a time below 0 cannot be priced");
  EXPECT_EQ(why_not(offer, exactly(std::nan(""))), "a time below 0 cannot be priced");
  // 31,557,600,000 s are 1000 years of 365.25 days.
  EXPECT_EQ(why_not(offer, exactly(31'557'600'000)),
            "1e+03 years cannot be priced: more than 100 years");
  EXPECT_EQ(why_not(offer, seconds(1, 2, 1e300)),
            "3.17e+292 years cannot be priced: more than 100 years");
  EXPECT_EQ(why_not(offer, exactly(std::numeric_limits<double>::infinity())),
            "no limit cannot be priced: more than 100 years");
  EXPECT_NE(why_not(offer_at("9000000000"), exactly(7200)).find("beyond 9.2 billion USD"),
            std::string::npos);
  Offer boots = offer;
  boots.boot_ns = std::numeric_limits<std::int64_t>::max();  // 292 years
  EXPECT_EQ(why_not(boots, exactly(1)), "the offer's boot time is not between 0 and 100 years");
}

TEST(Quote, LinesSumToTheTotal) {
  std::mt19937_64 random(3);
  const std::vector<std::int64_t> steps{0, 1, kSecondNs, 60 * kSecondNs, 3600 * kSecondNs};
  for (int i = 0; i < 5000; ++i) {
    Offer offer = offer_at("0", {steps[random() % steps.size()],
                                 static_cast<std::int64_t>(random() % 120) * kSecondNs});
    offer.price = {Money::from_nanos(static_cast<std::int64_t>(random() % 40'000'000'000))};
    offer.boot_ns = static_cast<std::int64_t>(random() % 3) * 41'000'000'007;
    const double mid = static_cast<double>(random() % 1'000'000'000) * 1e-4;
    const Quote result = *quote(offer, seconds(0.9 * mid, mid, 1.2 * mid));
    Money sum;
    std::int64_t billed = 0;
    for (const QuoteLine& line : result.lines) {
      sum += line.amount;
      billed += line.billed_ns;
    }
    EXPECT_EQ(sum, result.total.mid);
    EXPECT_EQ(cost_of(offer.price, billed), result.total.mid);
    EXPECT_LE(result.total.low, result.total.mid);
    EXPECT_LE(result.total.mid, result.total.high);
  }
}

Offer offer_in_steps(const char* usd_per_hour, std::int64_t step_s = 0) {
  return offer_at(usd_per_hour, {step_s * kSecondNs, 0});
}

double affordable_seconds(const Offer& offer, const char* most) {
  return affordable_time(offer, Money::parse(most))->count();
}

TEST(AffordableTime, IsMoneyOverPrice) {
  EXPECT_NEAR(affordable_seconds(offer_in_steps("3.60"), "0.50"), 500, 1e-5);
  EXPECT_NEAR(affordable_seconds(offer_in_steps("3.60"), "0"), 0, 1e-5);
  EXPECT_NEAR(affordable_seconds(offer_in_steps("0.36"), "1000"), 1e7, 1e-5);
}

// 7 USD pay for two whole hours at 3.06 USD, but not for a third.
TEST(AffordableTime, EndsWithTheLastWholeStep) {
  EXPECT_NEAR(affordable_seconds(offer_in_steps("3.06", 3600), "7"), 7200, 1e-5);
  EXPECT_NEAR(affordable_seconds(offer_in_steps("3.06", 3600), "6.12"), 7200, 1e-5);
}

TEST(AffordableTime, BootAndMinimumAreTakenOff) {
  Offer with_boot = offer_in_steps("3.60");
  with_boot.boot_ns = 100'000'000'000;
  EXPECT_NEAR(affordable_seconds(with_boot, "0.50"), 400, 1e-5);
  EXPECT_EQ(affordable_time(with_boot, Money::parse("0.05")), std::nullopt);
  Offer with_minimum = offer_in_steps("3.60");
  with_minimum.billing.minimum_ns = 60'000'000'000;
  EXPECT_EQ(affordable_time(with_minimum, Money::parse("0.05")), std::nullopt);
  EXPECT_NEAR(affordable_seconds(with_minimum, "0.06"), 60, 1e-5);
}

TEST(AffordableTime, NothingIsWastedAndNothingIsAboveTheLimit) {
  for (const char* price : {"0.0425", "3.06", "98.32"}) {
    for (const std::int64_t step : {0, 1, 60, 3600}) {
      const Offer tried = offer_in_steps(price, step);
      const Money most = Money::parse("123.45");
      const auto bill = [&](Seconds time) {
        return quote(tried, Interval<Seconds>::exactly(time))->total.mid;
      };
      const Seconds time = *affordable_time(tried, most);
      EXPECT_LE(bill(time), most);
      EXPECT_GT(bill(time + Seconds{1}), most);
    }
  }
}

TEST(AffordableTime, AFreeMachineHasNoEnd) {
  EXPECT_GT(affordable_seconds(offer_in_steps("0"), "1"), 3e9);
}

TEST(Quote, AMeasuredBootCountsWhereTheOfferSaysNothing) {
  Offer offer;
  offer.price = {Money::parse("3.60")};  // 0.001 a second
  const Demand demand{.before = {.boot = Seconds{40}}};
  EXPECT_EQ(quote(offer, exactly(60), demand)->total.mid, Money::parse("0.1"));
  offer.boot_ns = 10'000'000'000;
  EXPECT_EQ(quote(offer, exactly(60), demand)->total.mid, Money::parse("0.07"));
}

}  // namespace
}  // namespace lapcast

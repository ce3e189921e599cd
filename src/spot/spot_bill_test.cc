#include "spot/spot_bill.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lapcast {
namespace {

Offer offer_at(const char* per_hour, std::int64_t step_ns) {
  Offer offer;
  offer.price = {Money::parse(per_hour)};
  offer.billing.step_ns = step_ns;
  return offer;
}

/// Returns a forecast of 300 s boot, 2 h of work, 360 s checkpoints, 900 s lost, 450 s restarts.
SpotForecast known() {
  SpotForecast forecast;
  forecast.mean = {
      Seconds{300}, Seconds{7200}, Seconds{360}, Seconds{900}, Seconds{450}, Seconds{5000}, 2,
      true};
  forecast.interruptions = 1.5;
  forecast.billed = {Seconds{7860}, Seconds{9000}, Seconds{14400}};
  return forecast;
}

// At 3.60 USD/h a second costs 0.001 USD. The waiting costs nothing.
TEST(SpotBill, LinesByHand) {
  const auto bill = spot_bill(offer_at("3.60", 0), known());
  ASSERT_TRUE(bill);
  ASSERT_EQ(bill->lines.size(), 5u);
  const char* amounts[] = {"0.30", "7.20", "0.36", "0.90", "0.45"};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(bill->lines[i].amount, Money::parse(amounts[i]));
  EXPECT_EQ(to_string(bill->lines[3].item), "lost work");
  EXPECT_EQ(bill->total.mid, Money::parse("9.21"));
  EXPECT_EQ(bill->total.low, Money::parse("7.86"));
  EXPECT_EQ(bill->total.high, Money::parse("14.40"));
}

TEST(SpotBill, EachMachineIsRoundedUpByHalfAStep) {
  const auto bill = spot_bill(offer_at("3.60", 60'000'000'000), known());
  ASSERT_TRUE(bill);
  EXPECT_EQ(bill->lines.back().item, LineItem::billing_round_up);
  EXPECT_EQ(bill->lines.back().amount, Money::parse("0.075"));  // 30 s * 2.5 machines
}

TEST(SpotBill, LinesSumToTheTotalOfASimulatedForecast) {
  SeededNumbers numbers(8);
  for (int i = 0; i < 50; ++i) {
    const SpotJob job{
        Seconds{numbers.uniform() * 50'000}, Seconds{600}, {Seconds{30}, Seconds{200}, Seconds{0}}};
    const auto sessions =
        LifetimeDistribution::exponential(Seconds{2000 + 9000 * numbers.uniform()});
    const auto waits = LifetimeDistribution::exponential(Seconds{600});
    const auto forecast = forecast_on_spot(job, *sessions, *waits, 50);
    ASSERT_TRUE(forecast);
    const auto bill = spot_bill(offer_at("0.123456789", 1'000'000'000), *forecast);
    ASSERT_TRUE(bill);
    Money sum;
    for (const QuoteLine& line : bill->lines) sum += line.amount;
    EXPECT_EQ(sum, bill->total.mid);
    EXPECT_LE(bill->total.low, bill->total.mid);
    EXPECT_LE(bill->total.mid, bill->total.high);
  }
}

TEST(SpotBill, WhatCannotBeBilledHasAReason) {
  SpotForecast forecast = known();
  forecast.billed.high = Seconds{1e308};
  EXPECT_FALSE(spot_bill(offer_at("1", 0), forecast));
  forecast.billed.high = Seconds{std::nan("")};
  EXPECT_FALSE(spot_bill(offer_at("1", 0), forecast));
  forecast = known();
  forecast.mean.finished = false;
  EXPECT_FALSE(spot_bill(offer_at("1", 0), forecast));
}

}  // namespace
}  // namespace lapcast

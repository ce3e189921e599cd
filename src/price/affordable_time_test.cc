#include "price/affordable_time.h"

#include <gtest/gtest.h>

#include "price/quote.h"

namespace lapcast {
namespace {

Offer offer(const char* usd_per_hour, std::int64_t step_s = 0) {
  Offer offer;
  offer.price = {Money::parse(usd_per_hour)};
  offer.billing = {step_s * 1'000'000'000, 0};
  return offer;
}

double seconds(const Offer& offer, const char* most) {
  return affordable_time(offer, Money::parse(most))->count();
}

TEST(AffordableTime, IsMoneyOverPrice) {
  EXPECT_NEAR(seconds(offer("3.60"), "0.50"), 500, 1e-5);
  EXPECT_NEAR(seconds(offer("3.60"), "0"), 0, 1e-5);
  EXPECT_NEAR(seconds(offer("0.36"), "1000"), 1e7, 1e-5);
}

// 7 USD pay for two whole hours at 3.06 USD, not for a third.
TEST(AffordableTime, EndsWithTheLastWholeStep) {
  EXPECT_NEAR(seconds(offer("3.06", 3600), "7"), 7200, 1e-5);
  EXPECT_NEAR(seconds(offer("3.06", 3600), "6.12"), 7200, 1e-5);
}

TEST(AffordableTime, BootAndMinimumAreTakenOff) {
  Offer with_boot = offer("3.60");
  with_boot.boot_ns = 100'000'000'000;
  EXPECT_NEAR(seconds(with_boot, "0.50"), 400, 1e-5);
  EXPECT_EQ(affordable_time(with_boot, Money::parse("0.05")), std::nullopt);
  Offer with_minimum = offer("3.60");
  with_minimum.billing.minimum_ns = 60'000'000'000;
  EXPECT_EQ(affordable_time(with_minimum, Money::parse("0.05")), std::nullopt);
  EXPECT_NEAR(seconds(with_minimum, "0.06"), 60, 1e-5);
}

TEST(AffordableTime, NothingIsWastedAndNothingIsAboveTheLimit) {
  for (const char* price : {"0.0425", "3.06", "98.32"}) {
    for (const std::int64_t step : {0, 1, 60, 3600}) {
      const Offer tried = offer(price, step);
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
  EXPECT_GT(seconds(offer("0"), "1"), 3e9);
}

}  // namespace
}  // namespace lapcast

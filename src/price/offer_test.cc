#include "price/offer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"

namespace lapcast {
namespace {

Owned bought_for(std::string_view dollars) {
  Owned terms;
  terms.purchase = Money::parse(dollars);
  return terms;
}

TEST(HourlyPriceOfOwned, KunasLocalNode) {
  // [K] table 4.1: 25,000 USD over one year = 25000 / 8760 = 2.85388... USD/h, printed 2.85.
  EXPECT_EQ(hourly_price(bought_for("25000")).per_hour, Money::parse("2.853881279"));
  EXPECT_EQ(rounded_decimal(hourly_price(bought_for("25000")).per_hour), "2.85");
}

TEST(HourlyPriceOfOwned, UtilisationPowerAndRunningCost) {
  Owned terms = bought_for("17520");
  terms.years = 2;          // 17520 / (2 * 8760) = 1 USD/h of all
  terms.utilisation = 0.5;  // 2 USD per hour used
  terms.power_kw = 1.5;
  terms.price_per_kwh = Money::parse("0.20");         // 0.30 USD/h
  terms.running_cost_per_year = Money::parse("876");  // 0.10 / 0.5 = 0.20 USD/h
  EXPECT_EQ(hourly_price(terms).per_hour, Money::parse("2.50"));
}

TEST(HourlyPriceOfOwned, NothingCostsNothing) {
  EXPECT_EQ(hourly_price(Owned{}).per_hour, Money{});
}

TEST(HourlyPriceOfOwned, RefusesWhatIsOutOfRange) {
  const auto with = [](auto change) {
    Owned terms = bought_for("100");
    change(terms);
    return terms;
  };
  EXPECT_THROW(hourly_price(with([](Owned& t) { t.years = 0; })), Error);
  EXPECT_THROW(hourly_price(with([](Owned& t) { t.years = -1; })), Error);
  EXPECT_THROW(hourly_price(with([](Owned& t) { t.years = 1e-300; })), Error);
  EXPECT_THROW(hourly_price(with([](Owned& t) { t.years = std::nan(""); })), Error);
  EXPECT_THROW(hourly_price(with([](Owned& t) { t.utilisation = 0; })), Error);
  EXPECT_THROW(hourly_price(with([](Owned& t) { t.utilisation = 1.01; })), Error);
  EXPECT_THROW(hourly_price(with([](Owned& t) { t.power_kw = -1; })), Error);
  EXPECT_THROW(hourly_price(with([](Owned& t) { t.purchase = Money::parse("-1"); })), Error);
}

}  // namespace
}  // namespace lapcast

#include "price/own_prices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace lapcast {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr Date kOwnToday{2026, 11, 22};

Offer listed_offer(const std::string& name, const std::string& dollars, Terms terms = OnDemand{}) {
  Offer offer;
  offer.name = name;
  offer.provider = "gcp";
  offer.machine_type = "a2-highgpu-1g";
  offer.accelerator = "a100";
  offer.price = {Money::parse(dollars)};
  offer.terms = std::move(terms);
  offer.as_of = "2026-07-30";
  offer.source = "a list";
  return offer;
}

Discount discount_of(const std::string& percent) {
  Discount discount;
  discount.percent = {Money::parse(percent).nanos()};
  discount.place = "own.toml:3";
  return discount;
}

TEST(InUsd, IsExactAndRoundsHalfToEven) {
  // 20 EUR at 1.08 are 21.6 USD. 0.000000001 at 0.5 is half a nano-dollar: to even, 0; three of
  // them are 1.5: to even, 2.
  EXPECT_EQ(in_usd(Money::parse("20"), {Money::parse("1.08"), "2026", "s"}), Money::parse("21.6"));
  const CurrencyRate half{Money::parse("0.5"), "2026", "s"};
  EXPECT_EQ(in_usd(Money::from_nanos(1), half), Money::from_nanos(0));
  EXPECT_EQ(in_usd(Money::from_nanos(3), half), Money::from_nanos(2));
  const CurrencyRate most{Money::parse("1000000"), "2026", "s"};
  EXPECT_EQ(in_usd(Money::parse("9000"), most), Money::parse("9000000000"));
  EXPECT_THROW(in_usd(Money::parse("10000"), most), Error);
}

TEST(OwnOffer, TakesDiscountsOneAfterTheOther) {
  OwnPrices own;
  own.discounts = {discount_of("10"), discount_of("12.5")};
  own.discounts[1].name = "contract";
  std::vector<PriceStep> steps;
  // 4 - 10 % = 3.6; 3.6 - 12.5 % = 3.15
  const Offer offer = own_offer(own, listed_offer("a", "4"), &steps);
  EXPECT_EQ(offer.price.per_hour, Money::parse("3.15"));
  EXPECT_EQ(offer.source, "a list; 10 % off; 12.5 % off: contract");
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].per_hour, Money::parse("3.6"));
  EXPECT_EQ(steps[1].what, "12.5 % off: contract");
  EXPECT_EQ(steps[1].source, "own.toml:3");
}

TEST(OwnOffer, TakesAnOverrideWithoutDiscounts) {
  OwnPrices own;
  own.discounts = {discount_of("50")};
  PriceOverride& change = own.overrides["a"];
  change.per_hour = Money::parse("2");
  change.as_of = "2026-11-01";
  change.source = "a quote";
  change.minimum_ns = 60'000'000'000;
  const Offer offer = own_offer(own, listed_offer("a", "4"));
  EXPECT_EQ(offer.price.per_hour, Money::parse("2"));
  EXPECT_EQ(offer.source, "a quote");
  EXPECT_EQ(offer.as_of, "2026-11-01");
  EXPECT_EQ(offer.billing, (Billing{1'000'000'000, 60'000'000'000}));
  // One of billing alone leaves the price to the discounts.
  own.overrides["a"] = {};
  own.overrides["a"].boot_ns = 5;
  EXPECT_EQ(own_offer(own, listed_offer("a", "4")).price.per_hour, Money::parse("2"));
  EXPECT_EQ(own_offer(own, listed_offer("a", "4")).boot_ns, 5);
}

TEST(OwnOffer, ChangesTheTermsOfReservations) {
  OwnPrices own;
  own.discounts = {discount_of("50")};
  const Reserved terms{12, Money::parse("8760"), Money::parse("1"), 0.5};
  Offer offer = listed_offer("r", "1", terms);
  offer.price = hourly_price(terms);  // (8760 / 8760 h + 1) / 0.5 = 4
  EXPECT_EQ(offer.price.per_hour, Money::parse("4"));
  const Offer paid = own_offer(own, offer);
  EXPECT_EQ(paid.price.per_hour, Money::parse("2"));
  EXPECT_EQ(std::get<Reserved>(paid.terms).up_front, Money::parse("4380"));
  // A price is that of each hour of the term: (1 + 3) / 0.5 = 8.
  own.overrides["r"].per_hour = Money::parse("3");
  EXPECT_EQ(own_offer(own, offer).price.per_hour, Money::parse("8"));
}

TEST(OwnOffer, HasTheTaxUnlessItHasItsOwn) {
  OwnPrices own;
  own.tax = 0.19;
  std::vector<PriceStep> steps;
  const Offer offer = own_offer(own, listed_offer("a", "4"), &steps);
  EXPECT_EQ(offer.other.tax, 0.19);
  EXPECT_EQ(offer.price.per_hour, Money::parse("4"));
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].what, "19 % of everything billed, beside the price");
  Offer taxed = listed_offer("a", "4");
  taxed.other.tax = 0.07;
  EXPECT_EQ(own_offer(own, taxed).other.tax, 0.07);
  std::vector<Offer> offers{listed_offer("a", "4"), taxed};
  EXPECT_THAT(apply(own, offers, kOwnToday, false), IsEmpty());
  EXPECT_EQ(offers[0].other.tax, 0.19);
}

TEST(IsFor, LooksAtProviderFamilyAndTerms) {
  const Offer on_demand = listed_offer("a", "1");
  const Offer spot = listed_offer("s", "1", Spot{});
  const Offer reserved = listed_offer("r", "1", Reserved{36, {}, Money::parse("1"), 1});
  const Offer owned = listed_offer("o", "1", Owned{});
  const Discount all = discount_of("1");
  EXPECT_TRUE(is_for(all, on_demand));
  EXPECT_TRUE(is_for(all, reserved));
  EXPECT_FALSE(is_for(all, spot));  // only where the discount names it
  EXPECT_FALSE(is_for(all, owned));
  Discount some = all;
  some.terms = "spot";
  EXPECT_TRUE(is_for(some, spot));
  EXPECT_FALSE(is_for(some, on_demand));
  some.terms = "reserved";
  some.months = 12;
  EXPECT_FALSE(is_for(some, reserved));
  some.months = 36;
  EXPECT_TRUE(is_for(some, reserved));
  some = all;
  some.provider = "GCP";
  some.family = "A2-";
  EXPECT_TRUE(is_for(some, on_demand));
  some.family = "A100";
  EXPECT_TRUE(is_for(some, on_demand));
  some.family = "a10";  // begins no machine type, and is not the whole accelerator
  EXPECT_FALSE(is_for(some, on_demand));
  some.family.clear();
  some.provider = "gc";
  EXPECT_FALSE(is_for(some, on_demand));
}

TEST(PriceSteps, BeginWithTheListedPriceAndItsRate) {
  OwnPrices own;
  own.currencies["EUR"] = {Money::parse("1.08"), "2026-11-01", "a bank"};
  own.discounts = {discount_of("50")};
  const ForeignPrice foreign{Money::parse("20"), "EUR"};
  const auto steps = price_steps(own, listed_offer("a", "21.6"), &foreign);
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(steps[0].what, "20 EUR");
  EXPECT_EQ(steps[0].per_hour, std::nullopt);
  EXPECT_EQ(steps[1].what, "1.08 USD per EUR");
  EXPECT_EQ(steps[1].as_of, "2026-11-01");
  EXPECT_EQ(steps[1].per_hour, Money::parse("21.6"));
  EXPECT_EQ(steps[2].per_hour, Money::parse("10.8"));
}

TEST(ApplyOwnPrices, ReportsWhatHasNoEffectAndWhatCannotBeUsed) {
  OwnPrices own;
  own.file = "own.toml";
  own.discounts = {discount_of("10")};
  own.discounts[0].provider = "aws";
  own.overrides["b"].per_hour = Money::parse("1");
  own.overrides["b"].place = "own.toml:9";
  std::vector<Offer> offers{listed_offer("a", "4")};
  EXPECT_THAT(apply(own, offers, kOwnToday, true),
              ElementsAre(HasSubstr("own.toml:9: no catalog has an offer 'b'"),
                          HasSubstr("own.toml:3: this discount is for no offer")));
  EXPECT_THAT(apply(own, offers, kOwnToday, false), IsEmpty());
  EXPECT_EQ(offers, std::vector<Offer>{listed_offer("a", "4")});
  // 1e6 USD per hour at a use of 0.01 % are 1e10 USD per hour of use: more than an amount can be.
  offers = {listed_offer("b", "1", Reserved{12, {}, Money::parse("1"), 0.0001}),
            listed_offer("a", "4")};
  own.overrides["b"].per_hour = Money::parse("1000000");
  EXPECT_THAT(apply(own, offers, kOwnToday, false),
              ElementsAre(HasSubstr("the own price of b cannot be used")));
  EXPECT_EQ(offers.size(), 1u);
  offers = {listed_offer("b", "1", Owned{})};
  EXPECT_THAT(apply(own, offers, kOwnToday, false), ElementsAre(HasSubstr("owned hardware")));
}

}  // namespace
}  // namespace lapcast

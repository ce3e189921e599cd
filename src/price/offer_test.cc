#include "price/offer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/error.h"

namespace lapcast {
namespace {

Owned bought_for(std::string_view dollars) {
  Owned terms;
  terms.purchase = Money::parse(dollars);
  return terms;
}

TEST(HourlyPriceOfOwned, KunasLocalNode) {
  // In table 4.1 of Kunas 2023, 25,000 USD over one year are 25000 / 8760 = 2.85388... USD/h.
  EXPECT_EQ(hourly_price(bought_for("25000")).per_hour, Money::parse("2.853881279"));
  EXPECT_EQ(dollar_text(hourly_price(bought_for("25000")).per_hour), "$2.85");
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

Offer good() {
  Offer offer;
  offer.price.per_hour = Money::parse("3.06");
  offer.as_of = "2026-11-22";
  offer.source = "a test";
  return offer;
}

template <class Change>
std::string problem(Change change) {
  Offer offer = good();
  change(offer);
  const auto reason = why_not_valid(offer, {2026, 11, 22});
  return reason ? reason->text : "";
}

TEST(WhyNotValid, NamesTheMember) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(problem([](Offer&) {}), "");
  EXPECT_EQ(problem([](Offer& o) { o.as_of = "2031-01"; }), "as_of is in the future");
  EXPECT_EQ(problem([](Offer& o) { o.as_of = ""; }),
            "as_of is not a date like 2021, 2021-02 or 2021-02-03");
  EXPECT_EQ(problem([](Offer& o) { o.source = ""; }), "source is missing");
  EXPECT_EQ(problem([](Offer& o) { o.source.assign(1001, 'x'); }),
            "a text is longer than 1000 bytes");
  EXPECT_EQ(problem([](Offer& o) { o.price.per_hour = Money::from_nanos(-1); }),
            "usd_per_hour is negative");
  EXPECT_EQ(problem([](Offer& o) { o.accelerator_count = -1; }),
            "accelerator_count is not between 0 and 1,000,000");
  EXPECT_EQ(problem([](Offer& o) { o.boot_ns = kMost; }), "boot is longer than a day");
  EXPECT_EQ(problem([](Offer& o) { o.boot_ns = -1; }), "boot is negative");
  EXPECT_EQ(problem([](Offer& o) { o.billing.step_ns = kMost; }),
            "billing_step is longer than a year");
  EXPECT_EQ(problem([](Offer& o) { o.billing.minimum_ns = -1; }), "billing_minimum is negative");
}

TEST(WhyNotValid, TermsOfOwnedHardware) {
  const auto owned = [](Owned terms) {
    return problem([&](Offer& offer) { offer.terms = terms; });
  };
  EXPECT_EQ(owned({Money::parse("25000"), 3, 0.5}), "");
  EXPECT_EQ(owned({Money::parse("25000"), 0}), "years is not above 0 and at most 1000");
  EXPECT_EQ(owned({Money::parse("25000"), std::nan("")}), "years is not above 0 and at most 1000");
  EXPECT_EQ(owned({Money::parse("25000"), 3, 1.5}), "utilisation is not above 0 and at most 1");
  EXPECT_EQ(owned({Money::parse("-1"), 3}), "purchase_usd is negative");
}

TEST(IsFuture, OneDayOfGraceAndTheFirstDayMeant) {
  const Date today{2024, 2, 28};
  for (const char* text : {"2024-02-28", "2024-02-29", "2024-02", "2024", "1999", "soon", ""})
    EXPECT_FALSE(is_future(text, today)) << text;
  for (const char* text : {"2024-03-01", "2024-03", "2025", "9999-12-31"})
    EXPECT_TRUE(is_future(text, today)) << text;
  EXPECT_FALSE(is_future("2025", {2024, 12, 31}));
}

TEST(ReservedPrice, CoversTheTermAndOneMoreHourIsFree) {
  // 36 months are 26,280 h: (26,280 USD / 26,280 h + 0.5 USD/h) / 0.75 = 2 USD/h.
  Offer offer;
  const Reserved terms{36, Money::parse("26280"), Money::parse("0.5"), 0.75};
  offer.price = hourly_price(terms);
  offer.terms = terms;
  EXPECT_EQ(offer.price.per_hour, Money::parse("2"));
  EXPECT_EQ(marginal_price(offer).per_hour, Money{});
  offer.terms = Spot{};
  EXPECT_EQ(marginal_price(offer), offer.price);
  offer.terms = Owned{.power_kw = 0.5, .price_per_kwh = Money::parse("0.3")};
  EXPECT_EQ(marginal_price(offer).per_hour, Money::parse("0.15"));
  EXPECT_THROW(hourly_price(Reserved{.months = 0}), Error);
  EXPECT_THROW(hourly_price(Reserved{.months = 12, .utilisation = 0}), Error);
}

TEST(OfferOfName, TheExactNameComesFirst) {
  std::vector<Offer> offers(2);
  offers[0].name = "P3";
  offers[1].name = "p3";
  EXPECT_EQ(offer_of_name(offers, "p3"), &offers[1]);
  EXPECT_EQ(offer_of_name({offers.data(), 1}, "p3"), &offers[0]);
  EXPECT_EQ(offer_of_name(offers, "p4"), nullptr);
}

}  // namespace
}  // namespace lapcast

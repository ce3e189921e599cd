#include "price/offer_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace lapcast {
namespace {

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
            "as_of is no date like 2021, 2021-02 or 2021-02-03");
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

}  // namespace
}  // namespace lapcast

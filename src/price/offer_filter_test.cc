#include "price/offer_filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lapcast {
namespace {

using ::testing::ElementsAre;

Offer listed(const char* name, const char* price, const char* as_of) {
  Offer offer;
  offer.name = name;
  offer.provider = "aws";
  offer.machine_type = name;
  offer.region = "eu-west-1";
  offer.accelerator = "A100";
  offer.accelerator_count = 8;
  offer.price = {Money::parse(price)};
  offer.as_of = as_of;
  return offer;
}

std::vector<std::string> names(const std::vector<Offer>& offers, const OfferFilter& filter) {
  std::vector<std::string> result;
  for (const Offer* offer : matching_offers(offers, filter)) result.push_back(offer->name);
  return result;
}

TEST(OfferFilter, TheCheapestComesFirstAndEveryConditionCounts) {
  std::vector<Offer> offers{listed("b", "2", "2026"), listed("a", "2", "2026"),
                            listed("c", "1", "2026")};
  offers[2].memory_bytes = 100;
  EXPECT_THAT(names(offers, {}), ElementsAre("c", "a", "b"));
  EXPECT_THAT(names(offers, {.accelerator = "a10", .region = "EU", .accelerator_count = 8}),
              ElementsAre("c", "a", "b"));
  EXPECT_THAT(names(offers, {.most_per_hour = Money::parse("1")}), ElementsAre("c"));
  EXPECT_THAT(names(offers, {.least_memory_bytes = 100}), ElementsAre("c"));
  EXPECT_THAT(names(offers, {.least_memory_bytes = 101}), ElementsAre());
  EXPECT_THAT(names(offers, {.accelerator_count = 4}), ElementsAre());
  EXPECT_THAT(names(offers, {.provider = "gcp"}), ElementsAre());
  EXPECT_THAT(names(offers, {.terms = "spot"}), ElementsAre());
  EXPECT_THAT(names(offers, {.text = "B"}), ElementsAre("b"));
}

TEST(NewestOf, TheNewestPriceOfAMachineTypeRegionAndTermsWins) {
  std::vector<Offer> later{listed("a", "3", "2026-02"), listed("b", "4", "2025"),
                           listed("a", "1", "2026")};
  later[2].terms = Spot{};
  const std::vector<Offer> offers =
      newest_of({listed("a", "2", "2026-01"), listed("b", "2", "2026")}, later);
  ASSERT_EQ(offers.size(), 3u);
  EXPECT_EQ(offers[0].price.per_hour, Money::parse("3"));  // newer
  EXPECT_EQ(offers[1].price.per_hour, Money::parse("2"));  // the later list is older
  EXPECT_EQ(offers[2].terms, Terms{Spot{}});               // other terms
}

}  // namespace
}  // namespace lapcast

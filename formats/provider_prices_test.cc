#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "formats/price_list.h"

namespace lapcast {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

PriceList provider_list(PriceListFormat format, const std::string& text) {
  return read_price_list(format, text, {"", "2026-11-20", "a provider"}, {2026, 11, 22});
}

const Offer* offer_named(const PriceList& list, const std::string& name) {
  for (const Offer& offer : list.offers)
    if (offer.name == name) return &offer;
  return nullptr;
}

std::string azure_item(const std::string& rest) {
  return R"({"currencyCode": "USD", "armRegionName": "eastus", "armSkuName": "NC4", )"
         R"("unitOfMeasure": "1 Hour", "effectiveStartDate": "2026-08-01T00:00:00Z", )" +
         rest + "}";
}

TEST(ProviderPrices, OfAzureAreOnDemandSpotAndReserved) {
  const std::string vm = R"("productName": "Virtual Machines NC", "type": "Consumption", )";
  const PriceList list = provider_list(
      PriceListFormat::azure,
      R"({"Items": [)" + azure_item(vm + R"("meterName": "NC4", "retailPrice": 0.9)") + "," +
          azure_item(vm + R"("meterName": "NC4 Spot", "retailPrice": 0.2)") + "," +
          azure_item(R"("productName": "Virtual Machines NC", "type": "Reservation", )"
                     R"("reservationTerm": "1 Year", "meterName": "NC4", "retailPrice": 4380)") +
          "," +
          azure_item(R"("productName": "Virtual Machines NC Windows", "type": "Consumption", )"
                     R"("meterName": "NC4", "retailPrice": 1.1)") +
          "," + azure_item(R"("productName": "Storage", "meterName": "x", "retailPrice": 1)") +
          "]}");
  EXPECT_EQ(list.rows, 5);
  ASSERT_THAT(list.offers, SizeIs(3));
  EXPECT_EQ(offer_named(list, "azure/NC4/eastus/on-demand")->price.per_hour, Money::parse("0.9"));
  EXPECT_EQ(offer_named(list, "azure/NC4/eastus/on-demand")->as_of, "2026-08-01");
  EXPECT_EQ(offer_named(list, "azure/NC4/eastus/spot")->price.per_hour, Money::parse("0.2"));
  // 4380 USD a year are 0.50 USD an hour.
  EXPECT_EQ(offer_named(list, "azure/NC4/eastus/reserved-12m")->price.per_hour,
            Money::parse("0.5"));
  EXPECT_THAT(list.refused, Contains(Pair("with the license of Windows", 1)));
  EXPECT_THAT(list.refused, Contains(Pair("not a virtual machine", 1)));
}

TEST(ProviderPrices, OfVastHaveTheMemoryOfOneGpuAndTheLowestBid) {
  const std::string offer =
      R"({"gpu_name": "RTX 5090", "num_gpus": 2, "gpu_ram": 32607, "cpu_cores_effective": 32, )"
      R"("cpu_ram": 65536, "dph_total": 0.93, "min_bid": 0.41, "geolocation": "Korea, KR")";
  for (const std::string& text :
       {R"({"offers": [)" + offer + "}]}", "[" + offer + R"(, "rentable": true}])"}) {
    const PriceList list = provider_list(PriceListFormat::vast, text);
    ASSERT_THAT(list.offers, SizeIs(2));
    const Offer* const on_demand = offer_named(list, "vast/2x RTX 5090/Korea, KR/on-demand");
    ASSERT_NE(on_demand, nullptr);
    EXPECT_EQ(on_demand->price.per_hour, Money::parse("0.93"));
    EXPECT_EQ(on_demand->accelerator_count, 2);
    EXPECT_EQ(on_demand->accelerator_memory_bytes, 32607LL << 20);
    EXPECT_EQ(on_demand->memory_bytes, 64LL << 30);
    EXPECT_EQ(list.offers[1].price.per_hour, Money::parse("0.41"));
  }
  const PriceList none =
      provider_list(PriceListFormat::vast, "[" + offer + R"(, "rentable": false}])");
  EXPECT_THAT(none.offers, IsEmpty());
  EXPECT_THAT(none.refused, Contains(Pair("cannot be rented now", 1)));
}

TEST(ProviderPrices, OfRunPodAreThoseOfTwoClouds) {
  const PriceList list = provider_list(
      PriceListFormat::runpod,
      R"({"data": {"gpuTypes": [{"id": "NVIDIA GeForce RTX 4090", "displayName": "RTX 4090", )"
      R"("memoryInGb": 24, "securePrice": 0.69, "communityPrice": 0.34, )"
      R"("lowestPrice": {"minimumBidPrice": 0.2}}]}})");
  ASSERT_THAT(list.offers, SizeIs(3));
  EXPECT_EQ(offer_named(list, "runpod/RTX 4090/secure/on-demand")->price.per_hour,
            Money::parse("0.69"));
  EXPECT_EQ(offer_named(list, "runpod/RTX 4090/community/on-demand")->price.per_hour,
            Money::parse("0.34"));
  EXPECT_EQ(offer_named(list, "runpod/RTX 4090/community/spot")->price.per_hour,
            Money::parse("0.2"));
  EXPECT_EQ(list.offers[0].accelerator_memory_bytes, 24LL << 30);
}

TEST(ProviderPrices, AnotherTextIsRefused) {
  for (const auto& [text, why] :
       {std::pair("<html>", "the list is not JSON"),
        std::pair("{}", "the list has no \"offers\" whose entries have \"dph_total\""),
        std::pair("[1, [2], {\"offers\": 3}]", "the list has no \"offers\"")}) {
    try {
      provider_list(PriceListFormat::vast, text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input);
      EXPECT_THAT(error.what(), HasSubstr(why));
    }
  }
}

}  // namespace
}  // namespace lapcast

#include "formats/price_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "formats/price_list_builder.h"
#include "price/catalog.h"
#include "price/odd_prices.h"

namespace lapcast {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

constexpr Date kListToday{2026, 11, 22};
const PriceListOrigin kListOrigin{"cloud", "2026-05-20", "a list"};

PriceList skypilot(const std::string& rows, PriceListOrigin origin = kListOrigin) {
  return read_price_list(PriceListFormat::skypilot,
                         "Price,InstanceType,SpotPrice,Region,AcceleratorName,AcceleratorCount,"
                         "GpuInfo,AvailabilityZone\n" +
                             rows,
                         origin, kListToday);
}

std::string bad_list(PriceListFormat format, std::string_view text) {
  try {
    read_price_list(format, text, kListOrigin, kListToday);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    return error.what();
  }
  return "";
}

TEST(PriceList, FindsColumnsByNameAndMergesZones) {
  const PriceList list = skypilot(
      "12.24,p3,3.5,eu,V100,4.0,\"{'Gpus': [{'MemoryInfo': {'SizeInMiB': 16384}}]}\",a\n"
      "12.24,p3,3.1,eu,V100,4.0,,b\n"
      "12.24,p3,,us,V100,4.0,\"{'SizeInMiB': 80}\",a\n");
  ASSERT_EQ(list.offers.size(), 3u);
  EXPECT_EQ(list.rows, 3);
  EXPECT_EQ(list.merged, 2);
  EXPECT_THAT(list.refused, IsEmpty());
  EXPECT_EQ(list.offers[0].name, "cloud/p3/eu/on-demand");
  EXPECT_EQ(list.offers[0].accelerator_memory_bytes, 16LL << 30);
  EXPECT_EQ(list.offers[1].terms, Terms{Spot{}});
  EXPECT_EQ(list.offers[1].price.per_hour, Money::parse("3.1"));  // the cheaper zone
  EXPECT_EQ(list.offers[2].accelerator_count, 4);
  EXPECT_EQ(list.offers[2].accelerator_memory_bytes, 80LL << 30);  // 80 cannot be MiB
}

TEST(PriceList, FindsEveryNameAgain) {
  // Without room made for them, and with more names than the smallest index has.
  std::string rows;
  for (int zone = 0; zone < 2; ++zone)
    for (int i = 0; i < 5000; ++i) rows += "2,m" + std::to_string(i) + ",,eu,,,,\n";
  const PriceList list = skypilot(rows);
  EXPECT_EQ(list.offers.size(), 5000u);
  EXPECT_EQ(list.merged, 5000);
  NameIndex index;
  std::vector<Offer> offers;
  for (int i = 0; i < 1000; ++i) {
    Offer& offer = offers.emplace_back();
    offer.name = "n" + std::to_string(i);
    EXPECT_EQ(index.find(offer.name, offers), std::nullopt);
    index.add(offer.name, offers.size() - 1);
    EXPECT_EQ(index.find("n" + std::to_string(i / 2), offers), i / 2);
  }
  EXPECT_EQ(index.find("", offers), std::nullopt);
}

TEST(PriceList, CountsWhatItRefusesByReason) {
  const PriceList list = skypilot(
      "1,,,eu,A100,1,,\n"             // an accelerator without its host
      "700.0,tpu,700.0,eu,TPU,1,,\n"  // a placeholder
      "1,a,1,eu,,,,\n"                // spot is no cheaper
      "1,b,0,eu,,,,\n"                // spot is free
      "1,c,,eu,,,V1,V2,x\n"           // a comma without quotes
      "-1,d,,eu,,,,\n1e308,e,,eu,,,,\nnan,f,,eu,,,,\n,g,,eu,,,,\n$3,h,,eu,,,,\n");
  EXPECT_EQ(list.offers.size(), 2u);
  EXPECT_THAT(list.refused,
              UnorderedElementsAre(
                  Pair("no machine type: the price of an accelerator without its host", 1),
                  Pair("a placeholder of 700 USD", 1),
                  Pair("spot: not below the price on demand", 1), Pair("spot: the price is 0", 1),
                  Pair("more fields than the header: a comma without quotes", 1),
                  Pair("the price is negative", 1), Pair("the price is above 1,000,000 USD", 1),
                  Pair("the price is not a number", 2), Pair("no price", 1)));
}

TEST(PriceList, RefusesPricesWithoutDateOrFromTheFuture) {
  EXPECT_THAT(skypilot("1,a,,eu,,,,\n", {"cloud", "", "s"}).refused,
              ElementsAre(Pair("no date", 1)));
  EXPECT_THAT(skypilot("1,a,,eu,,,,\n", {"cloud", "2027-01-01", "s"}).refused,
              ElementsAre(Pair("as_of is in the future", 1)));
  EXPECT_THAT(skypilot("1,a,,eu,,,,\n", {"", "2026", "s"}).refused,
              ElementsAre(Pair("no provider", 1)));
}

TEST(PriceList, WarnsOfAThousandTimesTheMedian) {
  // The median of V100 is 3 USD, so 3000.5 is above 1000 times it, and 2999 is not.
  const PriceList list = skypilot(
      "3,a,,eu,V100,1,,\n3,b,,eu,V100,1,,\n3000.5,c,,eu,V100,1,,\n2999,d,,eu,V100,1,,\n"
      "3,e,,eu,V100,1,,\n");
  EXPECT_EQ(list.offers.size(), 5u);
  EXPECT_THAT(list.warnings, ElementsAre(HasSubstr("cloud/c/eu/on-demand")));
}

// The median of V100 is 3 USD, so 0.002999 is below a thousandth of it, and 0.003 is not. Other
// lists know more of the only price of a kind.
TEST(PriceList, WarnsOfLessThanAThousandthOfTheMedian) {
  const PriceList list = skypilot(
      "3,a,,eu,V100,1,,\n3,b,,eu,V100,1,,\n0.002999,c,,eu,V100,1,,\n0.003,d,,eu,V100,1,,\n"
      "3,e,,eu,V100,1,,\n0.000000001,f,,eu,A100,1,,\n");
  EXPECT_THAT(list.warnings, ElementsAre(HasSubstr("cloud/c/eu/on-demand")));
  const PriceList others = skypilot("2,g,,us,a100,1,,\n2,h,,us,a100,1,,\n");
  EXPECT_THAT(odd_prices(list.offers, others.offers),
              ElementsAre(HasSubstr("cloud/c/eu/on-demand"),
                          HasSubstr("cloud/f/eu/on-demand: $0.000000001 per hour is less than a "
                                    "thousandth of the median of its kind, $2.00")));
}

TEST(PriceList, CountsWhatItTakesAsNotKnown) {
  const PriceList list = skypilot(
      "3,a,,eu,V100,nan,,\n3,b,,eu,V100,-1,,\n3,c,,eu,V100,1e9,,\n3,d,,eu,V100,2,,\n"
      "3,e,,eu,V100,,,\n3,f,,eu,,0,,\n");
  ASSERT_EQ(list.offers.size(), 6u);
  EXPECT_THAT(list.not_believed,
              ElementsAre(Pair("accelerator count not above 0 and at most 1e+06", 3)));
  EXPECT_EQ(list.offers[0].accelerator_count, 0);
  EXPECT_EQ(list.offers[3].accelerator_count, 2);
}

TEST(PriceList, TakesNoMoreThanFitsIntoMemory) {
  std::string rows;
  for (std::size_t i = 0; i <= kMostOffers; ++i) rows += "2,m" + std::to_string(i) + ",,,,,,\n";
  EXPECT_THROW(skypilot(rows), Error);
  const auto vantage = [](const std::string& json) {
    return read_price_list(PriceListFormat::vantage, json, kListOrigin, kListToday);
  };
  std::string values = "[{\"a\": [0";
  for (int i = 0; i < 1'000'000; ++i) values += ",0";
  EXPECT_THROW(vantage(values + "]}]"), Error);
  EXPECT_THROW(vantage("{\"a\": [{\"instance_type\": \"m\"}]}"), Error);
  EXPECT_THROW(vantage("[{\"instance_type\": \"m\"}"), Error);
  EXPECT_THAT(vantage("[1, [2], {\"a\": 1}]").refused,
              ElementsAre(Pair("an entry is not an object", 2), Pair("no price", 1)));
}

TEST(PriceList, TakesNoLongerTextsThanFitIntoMemory) {
  const std::string type(180, 'm');
  const std::string region(180, 'r');
  std::string rows;
  // The name has both texts again: 700 bytes and more of each offer.
  for (std::size_t i = 0; i <= kMostOfferBytes / 700; ++i)
    rows += "2," + std::to_string(i) + type + ",," + region + ",,,,\n";
  try {
    skypilot(rows);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("longer than 128.0 MiB"));
  }
}

std::vector<std::string> names_of(const PriceList& list) {
  std::vector<std::string> names;
  for (const Offer& offer : list.offers) names.push_back(offer.name);
  return names;
}

TEST(PriceList, AddsThePricesOfGcpsMachinesAndAccelerators) {
  const PriceList list = read_price_list(
      PriceListFormat::skypilot,
      "InstanceType,vCPUs,MemoryGiB,AcceleratorName,AcceleratorCount,GpuInfo,Region,"
      "AvailabilityZone,Price,SpotPrice\n"
      "n1-standard-8,8,30,,,,us,us-a,0.38,0.1\n"
      "n1-standard-8,8,30,,,,us,us-b,0.30,0.1\n"  // no accelerator in this zone
      "n1-standard-64,64,240,,,,us,us-a,3.04,\n"  // too large for one T4, and not on spot
      ",,,T4,1,{'SizeInMiB': 16384},us,us-a,0.35,0.2\n"
      ",,,T4,4,{'SizeInMiB': 16384},us,us-a,1.4,0.8\n"
      ",,,T4,3,,us,us-a,1.1,\n"                    // cannot be attached
      ",,,A100,1,,us,us-a,2.9,1\n"                 // only with machines of its own
      "a2-highgpu-1g,12,85,,,,us,us-a,0.74,0.3\n"  // a part of its price
      ",,,tpu-v3-8,1,,us,us-a,8,\n",
      {"gcp", "2026-05-20", "a list"}, kListToday);
  EXPECT_THAT(
      names_of(list),
      UnorderedElementsAre("gcp/n1-standard-8/us/on-demand", "gcp/n1-standard-8/us/spot",
                           "gcp/n1-standard-64/us/on-demand", "gcp/tpu-v3-8/us/on-demand",
                           "gcp/n1-standard-8+1xT4/us/on-demand", "gcp/n1-standard-8+1xT4/us/spot",
                           "gcp/n1-standard-8+4xT4/us/on-demand", "gcp/n1-standard-8+4xT4/us/spot",
                           "gcp/n1-standard-64+4xT4/us/on-demand"));
  EXPECT_THAT(
      list.refused,
      UnorderedElementsAre(Pair("no machine type: the price of an accelerator without its host", 2),
                           Pair("the price of a machine without its accelerators", 1)));
  const auto pair =
      std::ranges::find(list.offers, "gcp/n1-standard-8+1xT4/us/on-demand", &Offer::name);
  ASSERT_NE(pair, list.offers.end());
  EXPECT_EQ(pair->price.per_hour, Money::parse("0.73"));
  EXPECT_EQ(pair->machine_type, "n1-standard-8+1xT4");
  EXPECT_EQ(pair->accelerator_count, 1);
  EXPECT_EQ(pair->vcpus, 8);
  EXPECT_EQ(pair->memory_bytes, 30LL << 30);
  EXPECT_EQ(pair->accelerator_memory_bytes, 16LL << 30);
}

// The same rows of another cloud are what they say.
TEST(PriceList, AddsNothingForOtherClouds) {
  const PriceList list = skypilot("0.38,,,us,T4,1,,us-a\n0.5,a2-highgpu,,us,,,,us-a\n");
  EXPECT_THAT(names_of(list), ElementsAre("cloud/a2-highgpu/us/on-demand"));
}

TEST(PriceList, TellsMachinesWithOtherAcceleratorsApart) {
  const PriceList list = skypilot(
      "0.38,n1-standard-8,,us,,,,a\n0.73,n1-standard-8,,us,T4,1,,a\n1.08,n1-standard-8,,us,T4,2,,"
      "a\n"
      "1.05,n1-standard-8,,us,T4,2,,b\n"
      "3,m,,us,V100,1,,a\n5,m,,us,V100,2,,a\n1,m,,us,,,,a\n4,m,,us,V100,2,,b\n");
  EXPECT_THAT(
      names_of(list),
      ElementsAre("cloud/n1-standard-8/us/on-demand", "cloud/n1-standard-8+1xT4/us/on-demand",
                  "cloud/n1-standard-8+2xT4/us/on-demand", "cloud/m/us/on-demand",
                  "cloud/m+2xV100/us/on-demand", "cloud/m+0/us/on-demand"));
  EXPECT_EQ(list.merged, 2);
  EXPECT_EQ(list.offers[2].price.per_hour, Money::parse("1.05"));
  EXPECT_EQ(list.offers[4].price.per_hour, Money::parse("4"));
}

TEST(PriceList, NamesAPartOfAnAccelerator) {
  const PriceList list = skypilot("0.45,nv6,,us,A10,0.167,,\n1,nv36,,us,A10,1,,\n");
  ASSERT_EQ(list.offers.size(), 2u);
  EXPECT_EQ(list.offers[0].accelerator, "1/6 A10");
  EXPECT_EQ(list.offers[0].accelerator_count, 1);
  EXPECT_EQ(list.offers[1].accelerator, "A10");
}

TEST(PriceList, ReadsCommitmentsOfGcp) {
  const PriceList list =
      read_price_list(PriceListFormat::gcp_pricing,
                      "InstanceType,Region,PriceHour,SpotPriceHour,Price1yMonth,Price3yMonth\n"
                      "n1,eu,4,1,1460,730\n",
                      kListOrigin, kListToday);
  ASSERT_EQ(list.offers.size(), 4u);
  EXPECT_EQ(list.offers[2].name, "cloud/n1/eu/reserved-12m");
  EXPECT_EQ(list.offers[2].price.per_hour, Money::parse("2"));  // 1460 / 730
  EXPECT_EQ(std::get<Reserved>(list.offers[3].terms).months, 36);
}

TEST(PriceList, ReadsVantageGpuhuntAndCloudGpus) {
  const PriceList vantage = read_price_list(
      PriceListFormat::vantage,
      R"([{"instance_type":"p2","vCPU":4,"memory":61.0,"GPU":1,"pricing":{"eu":{"linux":
         {"ondemand":"0.9"}},"us":{"mswin":{}}}},7])",
      kListOrigin, kListToday);
  ASSERT_EQ(vantage.offers.size(), 1u);
  EXPECT_EQ(vantage.offers[0].memory_bytes, 61LL << 30);
  EXPECT_EQ(vantage.refused.size(), 2u);
  const PriceList gpuhunt = read_price_list(
      PriceListFormat::gpuhunt,
      "instance_name,location,price,spot,provider\na,eu,2,True,runpod\na,eu,3,False,runpod\n",
      kListOrigin, kListToday);
  ASSERT_EQ(gpuhunt.offers.size(), 2u);
  EXPECT_EQ(gpuhunt.offers[0].name, "runpod/a/eu/spot");
  EXPECT_EQ(gpuhunt.offers[1].name, "runpod/a/eu/on-demand");
  const PriceList kept = read_price_list(PriceListFormat::cloud_gpus,
                                         "Cloud,GPU Type,GPUs,On-demand,Spot,Name\n"
                                         "Oracle Cloud,A10,1,2,,VM\nRunPod,A40,8,6.32,,\n",
                                         kListOrigin, kListToday);
  ASSERT_EQ(kept.offers.size(), 2u);
  EXPECT_EQ(kept.offers[0].name, "oci/VM/on-demand");
  EXPECT_EQ(kept.offers[1].name, "runpod/8x A40/on-demand");
}

TEST(PriceList, RefusesOtherTexts) {
  EXPECT_THAT(bad_list(PriceListFormat::skypilot, "<html>no</html>"), HasSubstr("first line"));
  EXPECT_THAT(bad_list(PriceListFormat::skypilot, ""), HasSubstr("empty"));
  EXPECT_THAT(bad_list(PriceListFormat::vantage, "<html>"), HasSubstr("not a JSON array"));
}

TEST(CatalogCsv, IsReadBackUnchanged) {
  const PriceList list =
      skypilot("0.1,\"a,\"\"b\"\"\",0.05,\", CA, NA\",V100,2,{'SizeInMiB': 16384},\n");
  std::vector<Offer> offers = list.offers;
  ASSERT_EQ(offers.size(), 2u);
  offers[0].terms = Reserved{36, Money::parse("100.5"), Money::parse("0.25"), 0.75};
  offers[0].price = hourly_price(std::get<Reserved>(offers[0].terms));
  offers[0].billing = {60'000'000'000, 600'000'000'000};
  offers[1].terms = Spot{12.5, 120.0};
  offers.push_back(offers[1]);
  offers[2].name = "own";
  offers[2].terms = Owned{Money::parse("25000"), 3, 0.5, 0.25, Money::parse("0.31"), {}};
  offers[2].price = hourly_price(std::get<Owned>(offers[2].terms));
  offers[2].billing = {0, 0};
  const Catalog catalog = parse_catalog(catalog_csv(offers), "c.csv", kListToday);
  EXPECT_THAT(catalog.rejected, IsEmpty());
  EXPECT_EQ(catalog.offers, offers);
}

}  // namespace
}  // namespace lapcast

#include "price/catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace lapcast {
namespace {

constexpr Date kToday{2026, 11, 22};
constexpr const char* kHeader =
    "name,machine_type,price_usd_per_hour,terms,purchase_usd,years,utilisation,power_kw,"
    "usd_per_kwh,running_usd_per_year,billing_step,billing_minimum,boot,accelerator_count,"
    "as_of,source\n";

Catalog with_row(const std::string& row) {
  return parse_catalog(kHeader + row, "prices.csv", kToday);
}

std::string rejection(const std::string& row) {
  const Catalog catalog = with_row(row);
  EXPECT_TRUE(catalog.offers.empty());
  return catalog.rejected.empty() ? "" : catalog.rejected[0].reason.text;
}

std::string error_of(std::string_view csv) {
  try {
    parse_catalog(csv, "prices.csv", kToday);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    return error.what();
  }
  return "";
}

TEST(Catalog, ReadsOnDemandRows) {
  const Catalog catalog =
      with_row("aws/x,x,12.24,on-demand,,,,,,,1s,60s,90s,4,2021-02,malta2021 table 3.1\n");
  ASSERT_EQ(catalog.offers.size(), 1u);
  const Offer& offer = catalog.offers[0];
  EXPECT_EQ(offer.name, "aws/x");
  EXPECT_EQ(offer.price.per_hour, Money::parse("12.24"));
  EXPECT_EQ(offer.terms, Terms{OnDemand{}});
  EXPECT_EQ(offer.billing, (Billing{1'000'000'000, 60'000'000'000}));
  EXPECT_EQ(offer.boot_ns, 90'000'000'000);
  EXPECT_EQ(offer.accelerator_count, 4);
  EXPECT_EQ(offer.as_of, "2021-02");
  EXPECT_EQ(offer.source, "malta2021 table 3.1");
}

TEST(Catalog, ReadsSpotReservedAndSizes) {
  const Catalog catalog = parse_catalog(
      "name,machine_type,price_usd_per_hour,terms,interruption_hours,notice,term_months,"
      "up_front_usd,utilisation,vcpus,memory_gib,accelerator_memory_gib,as_of,source\n"
      "s,m,1.5,spot,20,120s,,,,12,85,40,2026,x\n"
      "r,m,1.0,reserved,,,12,4380,0.5,,,,2026,x\n"
      "no-term,m,1.0,reserved,,,,4380,,,,,2026,x\n"
      "mixed,m,1.0,spot,,,12,,,,,,2026,x\n"
      "large,m,1.0,,,,,,,,1e9,,2026,x\n",
      "prices.csv", kToday);
  ASSERT_EQ(catalog.offers.size(), 2u);
  EXPECT_EQ(catalog.offers[0].terms, (Terms{Spot{20.0, 120.0}}));
  EXPECT_EQ(catalog.offers[0].vcpus, 12.0);
  EXPECT_EQ(catalog.offers[0].memory_bytes, 85LL << 30);
  EXPECT_EQ(catalog.offers[0].accelerator_memory_bytes, 40LL << 30);
  EXPECT_EQ(catalog.offers[1].price.per_hour, Money::parse("3"));  // (4380/8760 + 1) / 0.5
  ASSERT_EQ(catalog.rejected.size(), 3u);
  EXPECT_EQ(catalog.rejected[0].reason.text, "term_months: a reservation needs its months");
  EXPECT_EQ(catalog.rejected[1].reason.text,
            "term_months: only rows with terms 'reserved' have it");
  EXPECT_EQ(catalog.rejected[2].reason.text, "memory_gib: '1e9' is not a size in GiB");
}

TEST(Catalog, ReadsOwnedRows) {
  const Catalog catalog =
      with_row("own,y,,owned,17520,2,0.5,1.5,0.20,876,,,,,2026-11-20,invoice\n");
  ASSERT_EQ(catalog.offers.size(), 1u);
  EXPECT_EQ(catalog.offers[0].price.per_hour, Money::parse("2.5"));  // offer_test.cc works it out
  EXPECT_EQ(catalog.offers[0].billing.step_ns, 0);
  EXPECT_DOUBLE_EQ(std::get<Owned>(catalog.offers[0].terms).utilisation, 0.5);
}

TEST(Catalog, ColumnsInAnyOrderAndDefaults) {
  const Catalog catalog =
      parse_catalog("source,as_of,price_usd_per_hour,machine_type,name\nme,2026,0,m,free\n",
                    "prices.csv", kToday);
  ASSERT_EQ(catalog.offers.size(), 1u);
  EXPECT_EQ(catalog.offers[0].price.per_hour, Money{});
  EXPECT_EQ(catalog.offers[0].billing, Billing{});
  EXPECT_EQ(catalog.offers[0].boot_ns, 0);
}

TEST(Catalog, ConvertsPricesInCurrenciesWithARate) {
  const std::string header =
      "name,machine_type,price_per_hour,currency,terms,term_months,as_of,source\n";
  const Currencies rates{{"EUR", {Money::parse("1.08"), "2026-11-01", "a bank"}}};
  const Catalog catalog = parse_catalog(header +
                                            "a,m,20,EUR,,,2026,x\n"
                                            "b,m,20,USD,,,2026,x\n"
                                            "c,m,10,EUR,reserved,12,2026,x\n"
                                            "d,m,20,CHF,,,2026,x\n"
                                            "e,m,20,,,,2026,x\n"
                                            "f,m,20,\xff,,,2026,x\n"
                                            "g,m,1000000,EUR,,,2026,x\n"
                                            "h,m,1e308,EUR,,,2026,x\n",
                                        "prices.csv", kToday, rates);
  ASSERT_EQ(catalog.offers.size(), 3u);
  EXPECT_EQ(catalog.offers[0].price.per_hour, Money::parse("21.6"));
  EXPECT_EQ(catalog.offers[1].price.per_hour, Money::parse("20"));
  EXPECT_EQ(catalog.offers[2].price.per_hour, Money::parse("10.8"));
  EXPECT_EQ(catalog.foreign.size(), 2u);
  EXPECT_EQ(catalog.foreign.at("c"), (ForeignPrice{Money::parse("10"), "EUR"}));
  ASSERT_EQ(catalog.rejected.size(), 5u);
  const auto reason = [&](std::size_t i) { return catalog.rejected[i].reason.text; };
  EXPECT_THAT(reason(0), ::testing::HasSubstr("currency: no rate for 'CHF'; write [currency.CHF]"));
  EXPECT_THAT(reason(1), ::testing::HasSubstr("price_per_hour without a currency"));
  EXPECT_THAT(reason(2), ::testing::HasSubstr("no rate for"));
  EXPECT_THAT(reason(3), ::testing::HasSubstr("usd_per_hour is above 1,000,000"));
  EXPECT_THAT(reason(4), ::testing::HasSubstr("price_per_hour: '1e308' is not an amount"));
  EXPECT_THAT(parse_catalog("name,machine_type,price_usd_per_hour,currency,as_of,source\n"
                            "a,m,1,EUR,2026,x\n",
                            "prices.csv", kToday, rates)
                  .rejected[0]
                  .reason.text,
              ::testing::HasSubstr("price_usd_per_hour is in USD"));
}

TEST(Catalog, RejectsBadRowsWithReasons) {
  EXPECT_EQ(rejection("a,m,1,,,,,,,,,,,,,s"), "as_of: no date: a price without one cannot be used");
  EXPECT_EQ(rejection("a,m,1,,,,,,,,,,,,2021,"),
            "source: no source: a price without one cannot be used");
  EXPECT_EQ(rejection("a,m,1,,,,,,,,,,,,soon,s"),
            "as_of: 'soon' is not a date like 2021, 2021-02 or 2021-02-03");
  EXPECT_EQ(rejection("a,m,-1,,,,,,,,,,,,2021,s"), "price_usd_per_hour: '-1' is negative");
  EXPECT_EQ(rejection("a,m,,,,,,,,,,,,,2021,s"), "price_usd_per_hour: no price");
  EXPECT_EQ(rejection("a,m,$1,,,,,,,,,,,,2021,s"),
            "price_usd_per_hour: '$1' is not an amount in USD; write it like 12.24, with at most 9 "
            "decimals and without a currency sign");
  EXPECT_EQ(rejection(",m,1,,,,,,,,,,,,2021,s"), "name: no name");
  EXPECT_EQ(rejection("a,,1,,,,,,,,,,,,2021,s"), "machine_type: no machine type");
  EXPECT_EQ(rejection("a,m,1,rent,,,,,,,,,,,2021,s"),
            "terms: 'rent' is none of 'on-demand', 'spot', 'reserved' and 'owned'");
  EXPECT_EQ(rejection("a,m,1,,5,,,,,,,,,,2021,s"),
            "purchase_usd: only rows with terms 'owned' have it");
  EXPECT_EQ(rejection("a,m,,owned,,1,,,,,,,,,2021,s"), "purchase_usd: no purchase price");
  EXPECT_EQ(rejection("a,m,,owned,5,,,,,,,,,,2021,s"), "years: no years of use");
  EXPECT_EQ(rejection("a,m,,owned,5,0,,,,,,,,,2021,s"), "terms: years of use must be above 0");
  EXPECT_EQ(rejection("a,m,,owned,5,1,,2,,,,,,,2021,s"),
            "power_kw: power_kw and usd_per_kwh need each other");
  EXPECT_EQ(rejection("a,m,3,owned,5,1,,,,,,,,,2021,s"),
            "price_usd_per_hour: owned hardware's price follows from its terms");
  EXPECT_EQ(rejection("a,m,1,,,,,,,,-1s,,,,2021,s"),
            "billing_step: '-1s' is not a duration; write it like 90s, 1.5m, 2h, 3d or 250ms");
  EXPECT_EQ(rejection("a,m,1,,,,,,,,,,500d,,2021,s"), "boot: longer than a year");
  EXPECT_EQ(rejection("a,m,1,,,,,,,,,,,1.5,2021,s"), "accelerator_count: '1.5' is not a count");
  EXPECT_EQ(rejection("a\x1b[31m,m,1,,,,,,,,,,,,2021,s"), "name: characters that cannot be shown");
  EXPECT_EQ(rejection("a,m,1"), "3 fields where the header has 16");
  EXPECT_EQ(rejection("a,\"m"), "a quote is never closed");
}

TEST(Catalog, RejectsWhatCannotBe) {
  EXPECT_EQ(rejection("a,m,1,,,,,,,,,,,,2026-11-24,s"), "as_of is in the future");
  EXPECT_EQ(rejection("a,m,1,,,,,,,,,,,,2027,s"), "as_of is in the future");
  EXPECT_EQ(rejection("a,m,1,,,,,,,,,,25h,,2021,s"), "boot is longer than a day");
  EXPECT_EQ(rejection("a,m,1000001,,,,,,,,,,,,2021,s"), "usd_per_hour is above 1,000,000");
  EXPECT_EQ(with_row("a,m,1,,,,,,,,,,24h,,2026,s").offers.size(), 1u);
}

TEST(Catalog, GoesOnAfterABadRow) {
  const Catalog catalog = with_row(
      "a,m,1,,,,,,,,,,,,2021,s\n"
      "b,m,x,,,,,,,,,,,,2021,s\n"
      "a,m,2,,,,,,,,,,,,2021,s\n"
      "c,m,3,,,,,,,,,,,,2021,s\n");
  ASSERT_EQ(catalog.offers.size(), 2u);
  EXPECT_EQ(catalog.offers[1].name, "c");
  ASSERT_EQ(catalog.rejected.size(), 2u);
  EXPECT_EQ(catalog.rejected[0].line, 3);
  EXPECT_EQ(catalog.rejected[1].line, 4);
  EXPECT_EQ(catalog.rejected[1].reason.text, "name: 'a' stands in line 2 already");
}

TEST(Catalog, RefusesWhatIsNoCatalog) {
  EXPECT_EQ(error_of(""),
            "prices.csv:1: the file is empty; a catalog begins with a row of column names");
  EXPECT_EQ(error_of("name,colour\n"),
            "prices.csv:1: unknown column 'colour'; lapcast help catalog.md lists the columns of a "
            "catalog");
  EXPECT_EQ(error_of("\nname,name\n"), "prices.csv:2: column 'name' stands twice");
  EXPECT_EQ(error_of("name,machine_type,price_usd_per_hour,source\n"),
            "prices.csv:1: no column 'as_of'; a catalog begins with a row of column names");
  EXPECT_EQ(error_of("\"name\n"), "prices.csv:1: a quote is never closed");
}

TEST(IsOld, CountsMonthsFromTheLatestDayMeant) {
  const auto old_on = [](const char* as_of, const char* today, int months = 12) {
    Offer offer;
    offer.as_of = as_of;
    return is_old(offer, today, months);
  };
  EXPECT_FALSE(old_on("2025-11-20", "2026-11-20"));
  EXPECT_TRUE(old_on("2025-11-19", "2026-11-20"));
  EXPECT_FALSE(old_on("2025-11", "2026-11-20"));  // may be of 30 November
  EXPECT_TRUE(old_on("2025-10", "2026-11-20"));
  EXPECT_FALSE(old_on("2025", "2026-11-20"));
  EXPECT_TRUE(old_on("2024", "2026-11-20"));
  EXPECT_TRUE(old_on("2026-10-19", "2026-11-20", 1));
}

TEST(ShippedCatalog, PapersHasEveryOfferWithoutRejection) {
  std::ifstream file(LAPCAST_SOURCE_DIR "/catalog/papers.csv");
  std::stringstream text;
  text << file.rdbuf();
  const Catalog catalog = parse_catalog(text.str(), "papers.csv", kToday);
  EXPECT_TRUE(catalog.rejected.empty());
  ASSERT_EQ(catalog.offers.size(), 22u);  // Malta 2021, tables 3.1 to 3.4; Kunas 2023, 4.1
  for (const Offer& offer : catalog.offers) {
    EXPECT_FALSE(offer.as_of.empty());
    EXPECT_FALSE(offer.source.empty());
    EXPECT_GT(offer.price.per_hour, Money{});
  }
  EXPECT_EQ(catalog.offers[4].name, "aws/ec2/p3.8xlarge/on-demand");
  EXPECT_EQ(catalog.offers[4].price.per_hour, Money::parse("12.24"));
  EXPECT_EQ(dollar_text(catalog.offers[21].price.per_hour), "$2.85");
}

}  // namespace
}  // namespace lapcast

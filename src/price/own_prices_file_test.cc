#include "price/own_prices_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace lapcast {
namespace {

using ::testing::HasSubstr;

constexpr Date kFileToday{2026, 11, 22};

OwnPrices own_prices(const std::string& toml) {
  return parse_own_prices(toml, "own.toml", kFileToday);
}

std::string refusal(const std::string& toml) {
  try {
    own_prices(toml);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    return error.what();
  }
  return "";
}

TEST(OwnPricesFile, HasOneTax) {
  EXPECT_EQ(own_prices("\ntax = \"19%\"\n").tax, 0.19);
  EXPECT_EQ(own_prices("\ntax = \"19%\"\n").tax_place, "own.toml:2");
  for (const char* tax : {"\"-1%\"", "\"101%\"", "\"nan\"", "\"1e308\"", "\"\"", "[]", "nan"})
    EXPECT_THAT(refusal(std::string("tax = ") + tax), HasSubstr("own.toml:1:7: tax: ")) << tax;
}

const std::string kEuro = "[currency.EUR]\nusd = 1.08\nas_of = 2026-11-01\nsource = \"a bank\"\n";

TEST(OwnPricesFile, IsReadWhole) {
  const OwnPrices own = own_prices(kEuro + R"(
[[override]]
offer = "gcp/a"
price = "20"
currency = "EUR"
as_of = "2026-11"
source = "quote 4711"
billing_minimum = "60s"
[[discount]]
name = "contract"
provider = "gcp"
family = "a2-"
terms = "reserved"
months = 36
percent = 12.5
[[discount]]
percent = "0.000000001"
)");
  EXPECT_EQ(own.currencies.at("EUR"), (CurrencyRate{Money::parse("1.08"), "2026-11-01", "a bank"}));
  const PriceOverride& change = own.overrides.at("gcp/a");
  EXPECT_EQ(change.per_hour, Money::parse("21.6"));
  EXPECT_EQ(change.listed, (ForeignPrice{Money::parse("20"), "EUR"}));
  EXPECT_EQ(change.minimum_ns, 60'000'000'000);
  EXPECT_EQ(change.step_ns, std::nullopt);
  EXPECT_EQ(change.place, "own.toml:6");
  ASSERT_EQ(own.discounts.size(), 2u);
  EXPECT_EQ(own.discounts[0].months, 36);
  EXPECT_EQ(to_string(own.discounts[0].percent), "12.5");
  EXPECT_EQ(own.discounts[1].percent.billionths, 1);
  EXPECT_EQ(own_prices(""), (OwnPrices{.file = "own.toml"}));
}

TEST(OwnPricesFile, RefusesRatesThatCannotBe) {
  EXPECT_THAT(refusal("[currency.EUR]\nusd = 1.1\nsource = \"x\"\n"), HasSubstr("has no as_of"));
  EXPECT_THAT(refusal("[currency.EUR]\nusd = 1.1\nas_of = \"2026\"\n"), HasSubstr("has no source"));
  for (const char* rate : {"0", "-1", "nan", "inf", "1e308", "1000000.1", "\"\"", "[]"})
    EXPECT_THAT(
        refusal(std::string("[currency.EUR]\nas_of = \"2026\"\nsource = \"x\"\nusd = ") + rate),
        HasSubstr("own.toml:4:"))
        << rate;
  EXPECT_THAT(refusal("[currency.EUR]\nusd=1\nas_of=2027-01-01\nsource=\"x\""),
              HasSubstr("as_of: it is in the future"));
  EXPECT_THAT(refusal("[currency.USD]\nusd=1\nas_of=\"2026\"\nsource=\"x\""),
              HasSubstr("other than USD"));
  EXPECT_THAT(refusal("[currency.euro]\nusd=1\n"), HasSubstr("'euro' is not a currency"));
  EXPECT_THAT(refusal("currency = 3\n"), HasSubstr("write [currency.EUR]"));
}

TEST(OwnPricesFile, RefusesPricesThatCannotBe) {
  const std::string head = "[[override]]\noffer = \"a\"\nas_of = \"2026-11-01\"\n";
  for (const char* price : {"-1", "nan", "inf", "1e308", "1000000.5", "\"free\"", "true"})
    EXPECT_THAT(refusal(head + "price = " + price), HasSubstr("own.toml:4:")) << price;
  EXPECT_THAT(refusal(head + "price = 1\ncurrency = \"EUR\""), HasSubstr("no rate for 'EUR'"));
  EXPECT_THAT(refusal("[[override]]\noffer = \"a\"\nprice = 1\n"), HasSubstr("has no as_of"));
  EXPECT_THAT(refusal("[[override]]\noffer = \"a\"\nprice = 1\nas_of = \"2027\"\n"),
              HasSubstr("in the future"));
  EXPECT_THAT(refusal("[[override]]\noffer = \"a\"\n"), HasSubstr("it changes nothing"));
  EXPECT_THAT(refusal(head + "boot = \"1s\"\n"), HasSubstr("belongs to a price"));
  EXPECT_THAT(refusal("[[override]]\noffer = \"a\"\nboot = \"2d\"\n"), HasSubstr("boot: "));
  EXPECT_THAT(refusal(head + "price = 1\n" + head + "price = 2\n"), HasSubstr("stands above"));
  EXPECT_THAT(refusal("override = 1\n"), HasSubstr("two brackets"));
}

TEST(OwnPricesFile, RefusesDiscountsThatCannotBe) {
  for (const char* percent : {"-1", "nan", "inf", "1e308", "100.1", "\"a\"", "[]", "false"})
    EXPECT_THAT(refusal(std::string("[[discount]]\npercent = ") + percent),
                HasSubstr("percent: write a number from 0 to 100"))
        << percent;
  EXPECT_THAT(refusal("[[discount]]\n"), HasSubstr("has no percent"));
  EXPECT_THAT(refusal("[[discount]]\npercent = 5\nterms = \"owned\"\n"), HasSubstr("terms: write"));
  EXPECT_THAT(refusal("[[discount]]\npercent = 5\nmonths = 12\n"), HasSubstr("months: only"));
  EXPECT_THAT(refusal("[[discount]]\npercent = 5\nprovidr = \"x\"\n"),
              HasSubstr("did you mean 'provider'?"));
  EXPECT_THAT(refusal("discounts = 1\n"), HasSubstr("did you mean 'discount'?"));
}

}  // namespace
}  // namespace lapcast

#include "price/own_prices_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <utility>

#include "core/units.h"
#include "toml/fleet_section.h"
#include "toml/toml_tree.h"

namespace lapcast {
namespace {

using Kind = TomlNode::Kind;

constexpr Money kMostPrice = Money::from_nanos(1'000'000'000'000'000);  // 1,000,000 USD
constexpr std::int64_t kMostBootNs = 86'400'000'000'000;                // a day
constexpr std::int64_t kMostPercent = 100'000'000'000;                  // 100 % in billionths

/// Reads one file of own prices.
class OwnPricesReader {
 public:
  OwnPricesReader(const std::string& file, Date today) : file_(file), today_(today) {
    own_.file = file;
  }

  OwnPrices read(const TomlNode& tree) {
    const FleetSection root(tree, "the file", file_);
    root.allow_only({"tax", "currency", "override", "discount"});
    if (root.has("tax")) {
      own_.tax = root.at("tax", [&] { return parse_share(root.text("tax")); });
      own_.tax_place = fmt::format("{}:{}", printable(file_), root.value("tax").place.line);
    }
    read_currencies(root);
    for_each(root, "override", [&](const FleetSection& section) { read_override(section); });
    for_each(root, "discount", [&](const FleetSection& section) { read_discount(section); });
    return std::move(own_);
  }

 private:
  template <class Read>
  void for_each(const FleetSection& root, std::string_view key, Read read) {
    const TomlNode::Key* const list = root.table().find(key);
    if (list == nullptr) return;
    const std::string name = fmt::format("[[{}]]", key);
    if (list->value.kind != Kind::list)
      fail_at(file_, list->place, fmt::format("write {}, with two brackets each", name));
    for (const TomlNode& item : list->value.items) read(FleetSection(item, name, file_));
  }

  std::string place_of(const FleetSection& section) const {
    return fmt::format("{}:{}", printable(file_), section.table().place.line);
  }

  std::string past_date(const FleetSection& section) const {
    const std::string date = section.date("as_of");
    if (is_future(date, today_)) section.fail("as_of", "it is in the future");
    return date;
  }

  static void check_price(const FleetSection& section, std::string_view key, Money price) {
    if (price > kMostPrice) section.fail(key, "it is above 1,000,000");
  }

  void read_currencies(const FleetSection& root) {
    const TomlNode::Key* const all = root.table().find("currency");
    if (all == nullptr) return;
    if (all->value.kind != Kind::table)
      fail_at(file_, all->place, "write [currency.EUR], a table for each currency");
    for (const TomlNode::Key& key : all->value.keys) {
      if (!is_currency_code(key.name) || key.name == "USD")
        fail_at(file_, key.place,
                fmt::format("'{}' is not a currency other than USD; write a code such as EUR",
                            printable(key.name, 40)));
      const FleetSection section(key.value, "[currency." + key.name + "]", file_);
      section.allow_only({"usd", "as_of", "source"});
      const CurrencyRate rate{section.money("usd"), past_date(section), section.text("source")};
      if (rate.usd == Money{}) section.fail("usd", "a rate of 0");
      check_price(section, "usd", rate.usd);
      own_.currencies.emplace(key.name, rate);
    }
  }

  /// Reads a price with its currency into US dollars.
  void read_price(const FleetSection& section, PriceOverride& own) {
    const Money listed = section.money("price");
    own.per_hour = listed;
    const std::string code = section.has("currency") ? section.text("currency") : "USD";
    if (code != "USD") {
      const auto rate = own_.currencies.find(code);
      if (rate == own_.currencies.end())
        section.fail("currency",
                     fmt::format("no rate for '{}'; write [currency.{}] above", printable(code, 20),
                                 is_currency_code(code) ? code : "EUR"));
      own.listed = ForeignPrice{listed, code};
      own.per_hour = section.at("price", [&] { return in_usd(listed, rate->second); });
    }
    check_price(section, "price", *own.per_hour);
    own.as_of = past_date(section);
    own.source = section.has("source") ? section.text("source") : "own price";
  }

  void read_override(const FleetSection& section) {
    section.allow_only({"offer", "price", "currency", "as_of", "source", "billing_step",
                        "billing_minimum", "boot"});
    PriceOverride own;
    own.place = place_of(section);
    const std::string offer = section.text("offer");
    if (section.has("price")) {
      read_price(section, own);
    } else {
      for (const std::string_view key : {"currency", "as_of", "source"})
        if (section.has(key)) section.fail(key, "it belongs to a price; add price");
    }
    read_billing(section, own);
    if (!own.per_hour && !own.step_ns && !own.minimum_ns && !own.boot_ns)
      section.fail("it changes nothing; add price, billing_step, billing_minimum or boot");
    if (!own_.overrides.emplace(offer, own).second)
      section.fail("offer", fmt::format("'{}' stands above already", printable(offer, 100)));
  }

  static void read_billing(const FleetSection& section, PriceOverride& own) {
    if (section.has("billing_step")) own.step_ns = section.duration_ns("billing_step");
    if (section.has("billing_minimum")) own.minimum_ns = section.duration_ns("billing_minimum");
    if (!section.has("boot")) return;
    own.boot_ns = section.duration_ns("boot");
    if (*own.boot_ns > kMostBootNs) section.fail("boot", "it is longer than a day");
  }

  void read_discount(const FleetSection& section) {
    section.allow_only({"name", "provider", "family", "terms", "months", "percent"});
    Discount discount;
    discount.place = place_of(section);
    discount.percent = read_percent(section);
    for (const auto& [key, member] :
         {std::pair{"name", &Discount::name}, std::pair{"provider", &Discount::provider},
          std::pair{"family", &Discount::family}, std::pair{"terms", &Discount::terms}})
      if (section.has(key)) discount.*member = section.text(key);
    const auto& terms = discount.terms;
    if (!terms.empty() && terms != "on-demand" && terms != "spot" && terms != "reserved")
      section.fail("terms", "write on-demand, spot or reserved");
    if (section.has("months")) {
      if (terms != "reserved") section.fail("months", R"(only with terms = "reserved")");
      discount.months = static_cast<int>(section.number("months", 1, 120));
    }
    own_.discounts.push_back(std::move(discount));
  }

  static ExactPercent read_percent(const FleetSection& section) {
    const TomlNode& node = section.value("percent");
    ExactPercent percent{-1};
    std::string_view text = node.text;
    if (text.ends_with('%')) text.remove_suffix(1);
    try {
      if (node.kind == Kind::number || node.kind == Kind::text)
        percent.billionths = Money::parse(text).nanos();
    } catch (const Error&) {
      percent.billionths = -1;
    }
    if (percent.billionths < 0 || percent.billionths > kMostPercent)
      section.fail("percent",
                   "write a number from 0 to 100, such as 12.5, with at most 9 decimals");
    return percent;
  }

  const std::string& file_;
  Date today_;
  OwnPrices own_;
};

}  // namespace

OwnPrices parse_own_prices(std::string_view toml, const std::string& file, Date today) {
  return OwnPricesReader(file, today).read(parse_toml(toml, file));
}

}  // namespace lapcast

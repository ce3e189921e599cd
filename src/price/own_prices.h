#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/money.h"
#include "price/currency.h"
#include "price/offer.h"

namespace lapcast {

/// Holds a share in billionths of a percent, exactly: 12.5 % is 12'500'000'000.
struct ExactPercent {
  std::int64_t billionths = 0;  // 0 to 100'000'000'000
  friend bool operator==(const ExactPercent&, const ExactPercent&) = default;
};

/// Returns the percent without trailing zeros: "12.5".
std::string to_string(ExactPercent percent);

/// Holds a price that replaces that of one offer, and how its time is billed.
struct PriceOverride {
  std::optional<Money> per_hour;       // US dollars; for a reservation, per hour of its term
  std::optional<ForeignPrice> listed;  // what per_hour was converted from
  std::optional<std::int64_t> step_ns, minimum_ns, boot_ns;  // nothing = those of the offer
  std::string as_of;                                         // empty = that of the offer
  std::string source;                                        // empty = that of the offer
  std::string place;  // "lapcast-prices.toml:7", for messages
  friend bool operator==(const PriceOverride&, const PriceOverride&) = default;
};

/// Holds a negotiated discount. Empty members match every offer.
struct Discount {
  std::string name;           // "framework contract"; may be empty
  std::string provider;       // case is ignored
  std::string family;         // beginning of the machine type, or the whole name of the accelerator
  std::string terms;          // "on-demand", "spot", "reserved"; empty = on-demand and reserved
  std::optional<int> months;  // of a reservation
  ExactPercent percent;
  std::string place;
  friend bool operator==(const Discount&, const Discount&) = default;
};

/// Holds how the prices of a user differ from the listed ones. docs/money.md describes the file.
struct OwnPrices {
  std::string file;  // for messages; empty = there is none
  Currencies currencies;
  std::map<std::string, PriceOverride> overrides;  // by the name of the offer
  std::vector<Discount> discounts;                 // in the order of the file
  double tax = 0;         // share of all that is billed, for offers without a tax of their own
  std::string tax_place;  // for messages
  friend bool operator==(const OwnPrices&, const OwnPrices&) = default;
};

struct PriceStep {
  std::string step;               // "listed", "currency", "override", "discount", "tax"
  std::string what;               // "12.5 % off: framework contract"
  std::string source;             // where that was read
  std::string as_of;              // empty = without a date
  std::optional<Money> per_hour;  // of use, in US dollars, after the step; nothing = not yet known
};

/// Returns whether the discount is for the offer. It never is for owned hardware.
bool is_for(const Discount& discount, const Offer& offer);

/// Returns the offer as the user pays it: with its override, whose price no discount changes; else
/// with every discount that is for it, in their order, each a share of the price that earlier ones
/// leave. It also has the tax, which is billed in addition to the price. The source of the offer
/// says what changed its price. Adds an entry to `steps` for each change. Throws Error if an amount
/// is out of range.
Offer own_offer(const OwnPrices& own, Offer offer, std::vector<PriceStep>* steps = nullptr);

/// Returns every step from the price that a catalog lists, in another currency where `foreign` is
/// not null, to the one that the user pays. Throws Error if an amount is out of range.
std::vector<PriceStep> price_steps(const OwnPrices& own, const Offer& listed,
                                   const ForeignPrice* foreign);

/// Replaces the offers by what own_offer() returns, and removes those that cannot be used then.
/// Returns a line for each removed one and, if `all` says that the offers are complete, for each
/// override and discount that is for none of them.
std::vector<std::string> apply(const OwnPrices& own, std::vector<Offer>& offers, Date today,
                               bool all);

}  // namespace lapcast

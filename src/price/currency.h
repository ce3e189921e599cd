#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "core/money.h"
#include "price/offer.h"

namespace lapcast {

struct CurrencyRate {
  Money usd;          // of one unit, above 0 and at most 1,000,000 USD
  std::string as_of;  // "2026-11-01"; never empty
  std::string source;
  friend bool operator==(const CurrencyRate&, const CurrencyRate&) = default;
};

/// Holds rates by the code of their currency: "EUR".
using Currencies = std::map<std::string, CurrencyRate, std::less<>>;

/// Holds a price per hour as a catalog lists it, in a currency other than US dollars.
struct ForeignPrice {
  Money per_hour;        // in units of the currency
  std::string currency;  // "EUR"
  friend bool operator==(const ForeignPrice&, const ForeignPrice&) = default;
};

/// Returns whether the text is a code of three capital letters.
bool is_currency_code(std::string_view text);

/// Returns the amount in US dollars, rounded half to even to the nano-dollar. Throws Error when it
/// is out of range.
Money in_usd(Money amount, const CurrencyRate& rate);

}  // namespace lapcast

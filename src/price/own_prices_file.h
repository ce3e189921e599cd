#pragma once

#include <string>
#include <string_view>

#include "price/own_prices.h"

namespace lapcast {

/// Reads a file of own prices (docs/money.md): rates of currencies, overrides of single offers and
/// negotiated discounts. Throws Error (bad input) that names file, line and column for what cannot
/// be used, such as a date in the future; `today` is in UTC.
OwnPrices parse_own_prices(std::string_view toml, const std::string& file, Date today);

}  // namespace lapcast

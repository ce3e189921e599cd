#pragma once

#include <optional>
#include <string>

#include "core/result.h"
#include "forecast/forecast.h"
#include "price/offer.h"
#include "report/table.h"

namespace lapcast {

/// What a time costs, for a row: the bill, or nothing with the reason in plain words.
struct PricedCell {
  Cell cell;            // Interval<Money>, or nothing
  std::string why_not;  // it cannot be priced; empty also where there is no offer or no forecast
};
PricedCell cost_cell(const Offer* offer, const Interval<Seconds>& time);
/// The same of a whole forecast.
PricedCell cost_cell(const std::optional<Offer>& offer, const Result<Forecast>& forecast);

}  // namespace lapcast

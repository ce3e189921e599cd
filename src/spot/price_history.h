#pragma once

#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/money.h"
#include "core/seconds.h"
#include "price/offer.h"

namespace lapcast {

/// Says what an hour of a spot machine costs from one moment on.
struct PriceChange {
  Seconds at{0};  // since 1970 (UTC)
  HourlyPrice price;
};

/// Holds the price of one spot machine over time: at least two changes, ascending in time. The last
/// one only ends the price before it.
struct PriceHistory {
  std::vector<PriceChange> changes;
  std::vector<Reason> problems;  // of rows that were left out
  Seconds length() const { return changes.back().at - changes.front().at; }
};

/// Reads what `aws ec2 describe-spot-price-history` prints as JSON or text, in any order, with the
/// list alone (`--query SpotPriceHistory`) and as boto3 returns it; or a table with a time (UTC)
/// and a price (USD per hour) in each row, with or without a header and other columns. Returns the
/// reason when it is neither, when it holds prices of several machines, zones or products, or fewer
/// than two times. Rows before 1970 or after `today` (in UTC) are left out: one alone would stretch
/// the history over centuries.
Result<PriceHistory> parse_price_history(std::string_view text, Date today);

/// Returns the mean price over the whole history in USD per hour, with the 2.5 and 97.5 % quantiles
/// of the mean over a window of this length (> 0) at a thousand positions. If the history is not
/// longer than the window, the quantiles are those of the price itself, by time. It knows no prices
/// but those of the past.
Interval<Money> mean_price_over(const PriceHistory& history, Seconds length);

/// Returns the interval of the cost of the `billed` time at the price. Both are independent, so
/// their relative deviations from the middle add in quadrature.
Interval<Money> cost_at(const Interval<Money>& price, const Interval<Seconds>& billed);

}  // namespace lapcast

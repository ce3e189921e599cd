#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "choose/comparison.h"
#include "core/error.h"
#include "forecast/forecast.h"
#include "price/offer.h"
#include "report/table.h"

namespace lapcast {

/// Returns the mean of repeated values with its 95 % Student-t interval; just the value where there
/// is one, and an empty cell where there is none. The interval is cut at what the metric can be; a
/// duration is not below 0.
Cell mean_time(std::span<const double> seconds);
Cell mean_number(std::span<const double> values, const MetricRange& range);
/// Returns the mean of a metric, as a duration where its unit is seconds.
Cell mean_of(const RunMetric& metric, std::span<const double> values);

/// Holds what a time costs: the bill, or the reason why there is none.
struct PricedCell {
  Cell cell;            // Interval<Money>, or nothing
  std::string why_not;  // the reason; also empty without an offer or a forecast
};
/// Returns what that time costs under the offer; nothing without an offer.
PricedCell cost_cell(const Offer* offer, const Interval<Seconds>& time);
/// Returns the cost of a whole forecast.
PricedCell cost_cell(const std::optional<Offer>& offer, const Result<Forecast>& forecast);
/// Returns `remark` with "no cost: REASON" appended where the cost is not known.
std::string with_reason(std::string remark, const PricedCell& cost);

/// Holds one row of a table of named values, with how each was found.
struct Figure {
  std::string name;
  Cell value;
  std::string how = {};
};
/// Returns a table of figures. `value` says how the column of their values is shown.
Table figure_table(std::string title, const std::vector<Figure>& figures, ColumnTraits value = {});

}  // namespace lapcast

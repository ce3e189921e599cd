#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "choose/run_metric.h"
#include "core/result.h"
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
  std::string why_not;  // it cannot be priced; empty also without an offer or a forecast
};
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
Table figure_table(std::string title, const std::vector<Figure>& figures, ColumnTraits value = {});

}  // namespace lapcast

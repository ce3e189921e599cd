#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/error.h"
#include "forecast/forecast.h"
#include "price/offer.h"
#include "rank/comparison.h"
#include "rank/ranking.h"
#include "table/table.h"

namespace lapcast {

// The mean_ functions return the mean of repeated values with its 95 % Student-t interval; a single
// value has no interval; no values give an empty cell.

/// Returns the mean of durations. Its interval is cut at 0.
Cell mean_time(std::span<const double> seconds);
/// Returns the mean of figures. Its interval is cut at the ends of `range`.
Cell mean_number(std::span<const double> values, const MetricRange& range);
/// Returns the mean of a metric, as a duration if its unit is seconds. Its interval is cut at the
/// ends of range_of(metric, values).
Cell mean_of(const RunMetric& metric, std::span<const double> values);

/// Returns the speed-ups of a GPU as Carneiro 2018 prints them, "<14.3, 2.93>": over all cores of
/// its machine, and over those of the server. "-" stands for one that is not known; empty if
/// neither is known.
Cell gpu_notation(const std::optional<Interval<double>>& over_cores,
                  const std::optional<Interval<double>>& over_server);

/// Returns a candidate's name for display: "2c-avx2 batch=128".
std::string name_of(const Candidate& candidate);
/// Returns a choice's name for display: the candidate's, and if the ranking has the candidate
/// several times, how it is paid: "gpu (spot)", or the name of the offer.
std::string name_of(const Choice& choice, const Ranking& ranking);
std::string name_of(const Candidate& candidate, const Offer& offer, const Ranking& ranking);
/// Returns the offer's name if it says more than the machine type.
Cell offer_cell(const Offer& offer);

/// Holds the cost of a time, or the reason why it cannot be billed. Both are empty if there is no
/// offer or no forecast.
struct PricedCell {
  Cell cell;  // Interval<Money>
  std::string why_not;
};
/// Returns the cost of a time under the offer, which may be nullptr.
PricedCell cost_cell(const Offer* offer, const Interval<Seconds>& time);
/// Returns the cost of the total of a forecast.
PricedCell cost_cell(const std::optional<Offer>& offer, const Result<Forecast>& forecast);
/// Returns `remark` with "no cost: REASON" appended if cost.why_not has a reason.
std::string with_reason(std::string remark, const PricedCell& cost);

}  // namespace lapcast

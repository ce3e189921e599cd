#include "report/interval_plot.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "table/plot.h"
#include "table/table_writers.h"

namespace lapcast {
namespace {

constexpr double kLargestLinear = 30;  // largest bound over the smallest

bool is_by_cost(const Ranking& ranking) {
  return ranking.is_priced && ranking.by != Objective::time;
}

Interval<double> bounds_of(const Choice& choice, bool by_cost) {
  const Interval<Money>& cost = choice.quote.total;
  if (by_cost) return {cost.low.dollars(), cost.mid.dollars(), cost.high.dollars()};
  const Interval<Seconds>& time = choice.quote.time;
  return {time.low.count(), time.mid.count(), time.high.count()};
}

/// Returns the scale on which all intervals are drawn.
PlotScale scale_of(const std::vector<Interval<double>>& intervals, std::size_t columns) {
  double low = std::numeric_limits<double>::infinity();
  double high = 0;
  for (const Interval<double>& each : intervals) {
    if (std::isfinite(each.high)) high = std::max(high, each.high);
    if (each.low > 0) low = std::min(low, each.low);
  }
  const bool is_log = std::isfinite(low) && high > kLargestLinear * low;
  return {is_log ? low : 0, high, columns, is_log};
}

std::string scale_header(const PlotScale& scale, bool by_cost, std::size_t columns) {
  const auto in_words = [&](double value) {
    return for_people(by_cost ? Cell(scaled(Money::parse("1"), value)) : Cell(Seconds{value}));
  };
  return ends_of_scale(in_words(scale.low()) + (scale.is_log() ? " (logarithmic)" : ""),
                       in_words(scale.high()), columns);
}

}  // namespace

Table interval_plot(const Ranking& ranking, std::size_t columns, bool ascii) {
  const bool by_cost = is_by_cost(ranking);
  std::vector<Interval<double>> intervals;
  for (const Choice& choice : ranking.chosen) intervals.push_back(bounds_of(choice, by_cost));
  const PlotScale scale = scale_of(intervals, std::max<std::size_t>(columns, 20));
  const auto of_candidate = [](auto value) {
    return [value](const Choice& choice) { return cell_of(std::invoke(value, *choice.candidate)); };
  };
  const auto drawing = [&](const Choice& choice) {
    return drawn_interval(intervals[static_cast<std::size_t>(&choice - ranking.chosen.data())],
                          scale, ascii, choice.candidate->provenance.empty());
  };
  return table_of<Choice>(
      "", by_cost ? "95 % intervals of the cost" : "95 % intervals of the time",
      {{"", "machine", of_candidate(&Candidate::machine_type)},
       {"", "settings", of_candidate([](auto& c) { return Settings{c.settings}; }), kOptional},
       {"", scale_header(scale, by_cost, columns), drawing}},
      ranking.chosen);
}

}  // namespace lapcast

#include "report/interval_plot.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "core/display_width.h"
#include "report/table_writers.h"

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

/// Places values in the columns of a drawing.
class PlotScale {
 public:
  PlotScale(const std::vector<Interval<double>>& intervals, std::size_t columns)
      : last_column_(static_cast<double>(columns - 1)) {
    for (const Interval<double>& each : intervals) {
      if (std::isfinite(each.high)) high_ = std::max(high_, each.high);
      if (each.low > 0) low_ = std::min(low_, each.low);
    }
    is_log_ = std::isfinite(low_) && high_ > kLargestLinear * low_;
    if (!is_log_) low_ = 0;
  }

  double low() const { return low_; }
  double high() const { return high_; }
  bool is_log() const { return is_log_; }

  std::size_t column_of(double value) const {
    if (!(high_ > low_)) return 0;
    const double share =
        is_log_ ? std::log(std::max(value, low_) / low_) / std::log(high_ / low_) : value / high_;
    return static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * last_column_));
  }

 private:
  double last_column_;
  double low_ = std::numeric_limits<double>::infinity();
  double high_ = 0;
  bool is_log_ = false;
};

/// Returns "    |---o-----|".
std::string drawn(const Interval<double>& interval, const PlotScale& scale, bool ascii) {
  const std::size_t low = scale.column_of(interval.low);
  const std::size_t mid = scale.column_of(interval.mid);
  const std::size_t high = scale.column_of(interval.high);
  std::string text(low, ' ');
  for (std::size_t i = low; i <= high; ++i) {
    if (i == mid)
      text += ascii ? "o" : "\u25CF";
    else if (i == low)
      text += ascii ? "|" : "\u251C";
    else if (i == high)
      text += ascii ? "|" : "\u2524";
    else
      text += ascii ? "-" : "\u2500";
  }
  return text;
}

/// Returns the two ends of the scale, as far apart as the drawing is wide.
std::string scale_header(const PlotScale& scale, bool by_cost, std::size_t columns) {
  const auto in_words = [&](double value) {
    return for_people(by_cost ? Cell(scaled(Money::parse("1"), value)) : Cell(Seconds{value}));
  };
  const std::string low = in_words(scale.low()) + (scale.is_log() ? " (logarithmic)" : "");
  const std::string high = in_words(scale.high());
  const std::size_t both = display_width(low) + display_width(high);
  return low + std::string(both < columns ? columns - both : 1, ' ') + high;
}

}  // namespace

Table interval_plot(const Ranking& ranking, std::size_t columns, bool ascii) {
  const bool by_cost = is_by_cost(ranking);
  std::vector<Interval<double>> intervals;
  for (const Choice& choice : ranking.chosen) intervals.push_back(bounds_of(choice, by_cost));
  const PlotScale scale(intervals, std::max<std::size_t>(columns, 20));
  const auto of_candidate = [](auto value) {
    return [value](const Choice& choice) { return cell_of(std::invoke(value, *choice.candidate)); };
  };
  const auto drawing = [&](const Choice& choice) {
    return drawn(intervals[static_cast<std::size_t>(&choice - ranking.chosen.data())], scale,
                 ascii);
  };
  return table_of<Choice>(
      "", by_cost ? "95 % intervals of the cost" : "95 % intervals of the time",
      {{"", "machine", of_candidate(&Candidate::machine_type)},
       {"", "settings", of_candidate([](auto& c) { return Settings{c.settings}; }), kOptional},
       {"", scale_header(scale, by_cost, columns), drawing}},
      ranking.chosen);
}

}  // namespace lapcast

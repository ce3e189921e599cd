#include "report/lap_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/units.h"
#include "forecast/lap_series.h"
#include "stats/summary.h"

namespace lapcast {
namespace {

constexpr std::size_t kLapRows = 8;
constexpr double kLargestLapRatio = 30;  // longest lap over the shortest
constexpr std::size_t kClasses = 10;
constexpr double kMostOfThem = 0.95;  // quantile at which the last class of a histogram begins
constexpr std::size_t kBesideBars = 30;

/// Returns the costs of the laps that are known to be finished.
std::span<const double> known_costs(const RunTimeline& timeline) {
  const std::size_t known = std::min(known_laps(timeline.log.laps), timeline.costs_s.size());
  return std::span(timeline.costs_s).first(known);
}

/// Returns a time with enough digits to distinguish times that are `step` apart, in the unit that
/// fits `longest`.
std::string precise_time(double seconds, double longest, double step) {
  const bool is_ms = longest < 1 && longest >= 1e-3;
  const double scale = longest >= 1 ? 1 : is_ms ? 1e3 : 1e6;
  const double digits = step > 0 ? std::ceil(-std::log10(step * scale)) + 1 : 2;
  return fmt::format("{:.{}f} {}", seconds * scale, static_cast<int>(std::clamp(digits, 0.0, 6.0)),
                     longest >= 1 ? "s"
                     : is_ms      ? "ms"
                                  : "us");
}

struct LapClass {
  double from_s = 0;
  std::int64_t laps = 0;
};

std::vector<LapClass> classes_of(std::span<const double> seconds) {
  const double low = std::ranges::min(seconds);
  const double high = quantile(seconds, kMostOfThem);
  if (!(high > low)) return {{low, static_cast<std::int64_t>(seconds.size())}};
  std::vector<LapClass> classes;
  const double width = (high - low) / kClasses;
  for (std::size_t i = 0; i <= kClasses; ++i)
    classes.push_back({low + width * static_cast<double>(i), 0});
  for (const double each : seconds) {
    const auto place = static_cast<std::size_t>((each - low) / width);
    classes[each > high ? kClasses : std::min(place, kClasses - 1)].laps++;
  }
  if (classes.back().laps == 0) classes.pop_back();
  return classes;
}

}  // namespace

Table laps_over_time(const RunTimeline& timeline, const PlotStyle& style) {
  const std::span<const double> costs = known_costs(timeline);
  const std::vector<Lap>& laps = timeline.log.laps;
  const auto [low, high] = std::ranges::minmax(costs);
  const bool is_log = low > 0 && high > kLargestLapRatio * low;
  const double begin_s = from_ns(laps.front().begin_ns).count();
  const double end_s = from_ns(laps[costs.size() - 1].end_ns).count();
  const auto label = [&, low = low, high = high](double seconds) {
    return is_log ? format_duration(Seconds{seconds})
                  : precise_time(seconds, high, (high - low) / 10);
  };
  const PlotAxes axes{is_log ? "lap (log)" : "lap", label(low), label(high),
                      format_duration(Seconds{begin_s}), format_duration(Seconds{end_s})};
  const std::size_t columns = plot_columns(axes, style);
  DotCanvas canvas(columns, kLapRows, style.ascii);
  const PlotScale x(begin_s, end_s, canvas.width());
  const PlotScale y(low, high, canvas.height(), is_log);
  for (std::size_t i = 0; i < costs.size(); ++i)
    canvas.dot(x.step_of(from_ns(laps[i].end_ns).count()), y.step_of(costs[i]));
  return plot_table("Laps over the time of the run", axes, canvas.lines(), columns);
}

Table lap_histogram(std::span<const double> seconds, const PlotStyle& style) {
  const std::vector<LapClass> classes = classes_of(seconds);
  const auto most = std::ranges::max(classes, {}, &LapClass::laps).laps;
  const std::size_t columns =
      std::max<std::size_t>(10, style.width - std::min(style.width, kBesideBars));
  const auto bar = [&](const LapClass& each) {
    return drawn_bar(static_cast<double>(each.laps) / static_cast<double>(most), columns,
                     style.ascii);
  };
  const double step = classes.size() > 1 ? classes[1].from_s - classes[0].from_s : 0;
  const auto from = [&](const LapClass& each) {
    return precise_time(each.from_s, classes.back().from_s, step);
  };
  return table_of<LapClass>("", "Histogram of the laps",
                            {{"", "from", from}, {"", "laps", &LapClass::laps}, {"", "share", bar}},
                            classes);
}

std::vector<Table> lap_plots(const RunTimeline& timeline, const PlotStyle& style) {
  const std::span<const double> costs = known_costs(timeline);
  if (costs.empty()) return {};
  return {laps_over_time(timeline, style), lap_histogram(costs, style)};
}

}  // namespace lapcast

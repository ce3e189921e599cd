#include "commands/compare/comparison_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "core/units.h"
#include "stats/summary.h"

namespace lapcast {
namespace {

constexpr std::size_t kFewestOfBox = 5;
constexpr std::size_t kBesideMarks = 6;  // columns of "side" and the space after it

struct BoxMarks {
  const char *low, *line, *box_low, *box, *median, *box_high, *high, *value;
};
constexpr BoxMarks kAsciiMarks{"|", "-", "[", "=", "o", "]", "|", "."};
constexpr BoxMarks kMarks{"\u251C", "\u2500", "\u255E", "\u2550",
                          "\u25CF", "\u2561", "\u2524", "\u2022"};

/// Returns "  ├──╞══●═╡────┤".
std::string drawn_box(const std::vector<double>& values, const PlotScale& scale,
                      const BoxMarks& marks) {
  const auto at = [&](double p) { return scale.step_of(quantile(values, p)); };
  const std::size_t low = at(0), box_low = at(0.25), middle = at(0.5), box_high = at(0.75),
                    high = at(1);
  std::string text(low, ' ');
  for (std::size_t i = low; i <= high; ++i) {
    if (i == middle)
      text += marks.median;
    else if (i == box_low)
      text += marks.box_low;
    else if (i == box_high)
      text += marks.box_high;
    else if (i > box_low && i < box_high)
      text += marks.box;
    else
      text += i == low ? marks.low : i == high ? marks.high : marks.line;
  }
  return text;
}

/// Returns a mark for each value; several at one place become their number, or '+' above 9.
std::string drawn_values(const std::vector<double>& values, const PlotScale& scale,
                         std::size_t columns, const BoxMarks& marks) {
  std::vector<int> counts(columns, 0);
  for (const double value : values) ++counts[scale.step_of(value)];
  std::string text;
  for (const int count : counts) {
    if (count < 2)
      text += count == 1 ? marks.value : " ";
    else
      text += count > 9 ? '+' : static_cast<char>('0' + count);
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

}  // namespace

std::optional<Table> comparison_plot(const ComparedSet& a, const ComparedSet& b,
                                     const RunMetric& metric, const PlotStyle& style) {
  std::vector<double> all = a.values.values;
  all.insert(all.end(), b.values.values.begin(), b.values.values.end());
  if (all.empty()) return std::nullopt;
  const auto [low, high] = std::ranges::minmax(all);
  const std::size_t columns =
      std::max<std::size_t>(20, style.width - std::min(style.width, kBesideMarks));
  const PlotScale scale(low, high, columns);
  const BoxMarks& marks = style.ascii ? kAsciiMarks : kMarks;
  struct PlotLine {
    std::string side, drawing;
  };
  std::vector<PlotLine> lines;
  for (const ComparedSet* set : {&a, &b}) {
    const std::vector<double>& values = set->values.values;
    const std::string side = set == &a ? "A" : "B";
    const bool has_box = values.size() >= kFewestOfBox;
    if (has_box) lines.push_back({side, drawn_box(values, scale, marks)});
    lines.push_back({has_box ? "" : side, drawn_values(values, scale, columns, marks)});
  }
  const auto in_words = [&](double value) {
    return metric.unit == "s" ? format_duration(Seconds{value})
                              : fmt::format("{:.4g} {}", value, metric.unit);
  };
  return table_of<PlotLine>(
      "", "Every value, by " + metric.name,
      {{"", "side", &PlotLine::side},
       {"", ends_of_scale(in_words(low), in_words(high), columns), &PlotLine::drawing}},
      lines);
}

}  // namespace lapcast

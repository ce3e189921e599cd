#include "report/comparison_report.h"

#include <fmt/format.h>

#include "core/units.h"
#include "report/mean_cell.h"
#include "report/table_cell.h"
#include "stats/summary.h"

namespace lapcast {
namespace {

constexpr std::size_t kMostReasons = 5;

/// A figure with the digits that suit it: an interval shows three significant ones.
Cell number(double value) { return Interval<double>::exactly(value); }

Cell mean_of(const RunMetric& metric, const std::vector<double>& values) {
  return metric.unit == "s" ? mean_time(values) : mean_number(values);
}

Cell one(const RunMetric& metric, double value) {
  if (metric.unit == "s") return Seconds{value};
  return number(value);
}

std::vector<Cell> row_of(const char* side, const ComparedSet& set, const RunMetric& metric) {
  const Summary summary = summarise(set.values.values);
  const bool any = summary.n > 0;
  return {std::string(side),
          set.name,
          fmt::format("{}", fmt::join(set.about, ", ")),
          static_cast<std::int64_t>(summary.n),
          mean_of(metric, set.values.values),
          summary.n > 1 ? one(metric, summary.sd) : Cell(),
          any ? one(metric, summary.min) : Cell(),
          any ? one(metric, summary.max) : Cell()};
}

void note_left_out(Table& table, const char* side, const ComparedSet& set) {
  const auto& reasons = set.values.left_out;
  for (std::size_t i = 0; i < std::min(kMostReasons, reasons.size()); ++i)
    table.notes.push_back(fmt::format("left out of {}: {}", side, reasons[i]));
  if (reasons.size() > kMostReasons)
    table.notes.push_back(fmt::format("left out of {}: {} more", side, reasons.size() - kMostReasons));
}

Table sets_table(const ComparedSet& a, const ComparedSet& b, const RunMetric& metric) {
  const std::string unit = metric.unit.empty() ? "" : ", " + metric.unit;
  Table table{"Sets by " + metric.name + unit,
              {},
              {{"side", "side"},
               {"set", "set"},
               {.key = "runs_of", .header = "runs of", .spare = 1},
               {"n", "n"},
               {"mean", "mean", true},
               {"sd", "sd"},
               {.key = "min", .header = "min", .spare = 2},
               {.key = "max", .header = "max", .spare = 3}},
              {},
              {}};
  table.rows = {row_of("A", a, metric), row_of("B", b, metric)};
  note_left_out(table, "A", a);
  note_left_out(table, "B", b);
  return table;
}

void add_test(Table& table, const WelchTest& test, const RunMetric& metric) {
  Cell difference = test.difference;
  if (metric.unit == "s")
    difference = Interval<Seconds>{Seconds{test.difference.low}, Seconds{test.difference.mid},
                                   Seconds{test.difference.high}};
  table.rows.push_back({std::string("mean of A - mean of B"), difference,
                        std::string("95 %, Welch")});
  table.rows.push_back({std::string("t"), number(test.t), fmt::format("{:.1f} degrees of freedom",
                                                                       test.df)});
  table.rows.push_back({std::string("p"), number(test.p_value), std::string("two-sided, Welch")});
  table.rows.push_back({std::string("effect size"), test.effect,
                        fmt::format("Hedges' g: {}", size_of_effect(test.effect_size))});
}

Table result_table(const RunMetric& metric, const Comparison& comparison) {
  Table table{"Comparison by " + metric.name,
              {},
              {{"figure", "figure"}, {"value", "value", true}, {"how", "how it was found"}},
              {},
              {}};
  if (comparison.gains) {
    const Interval<double>& gains = *comparison.gains;
    table.rows.push_back({fmt::format("B {}, %", metric.better),
                          Interval<double>{gains.low * 100, gains.mid * 100, gains.high * 100},
                          std::string("95 %, Fieller")});
  } else if (comparison.gain) {
    table.rows.push_back({fmt::format("B {}, %", metric.better), number(*comparison.gain * 100),
                          std::string("means only")});
  }
  if (comparison.test) add_test(table, *comparison.test, metric);
  table.notes.push_back(comparison.verdict);
  return table;
}

}  // namespace

std::vector<Table> comparison_tables(const ComparedSet& a, const ComparedSet& b,
                                     const RunMetric& metric, const Comparison& comparison) {
  return {sets_table(a, b, metric), result_table(metric, comparison)};
}

}  // namespace lapcast

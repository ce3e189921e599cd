#include "report/comparison_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/units.h"
#include "history/linear_expectation.h"
#include "report/cells.h"
#include "stats/intervals.h"
#include "stats/summary.h"

namespace lapcast {
namespace {

constexpr std::size_t kMostReasons = 5;

/// Returns a cell that shows three significant digits, as intervals do.
Cell number(double value) {
  return Number{value, -1};
}

Cell one(const RunMetric& metric, double value) {
  return metric.unit == "s" ? Cell(Seconds{value}) : number(value);
}

struct SetRow {
  std::string side;
  const ComparedSet* set;
  Summary summary;
};

std::vector<ColumnOf<SetRow>> set_columns(const RunMetric& metric) {
  const auto deviation = [&metric](auto& r) {
    return r.summary.n > 1 ? one(metric, r.summary.sd) : Cell();
  };
  const auto extreme = [&metric](double Summary::*which) {
    return [&metric, which](auto& r) {
      return r.summary.n > 0 ? one(metric, r.summary.*which) : Cell();
    };
  };
  return {{"side", "side", &SetRow::side},
          {"set", "set", [](auto& r) { return r.set->name; }},
          {"runs_of", "runs of",
           [](auto& r) { return fmt::format("{}", fmt::join(r.set->about, ", ")); }, spare(1)},
          {"n", "n", [](auto& r) { return r.summary.n; }},
          {"mean", "mean", [&metric](auto& r) { return mean_of(metric, r.set->values.values); },
           kBounds},
          {"sd", "sd", deviation},
          {"min", "min", extreme(&Summary::min), spare(2)},
          {"max", "max", extreme(&Summary::max), spare(3)}};
}

void note_left_out(Table& table, const char* side, const ComparedSet& set) {
  const auto& reasons = set.values.left_out;
  for (std::size_t i = 0; i < std::min(kMostReasons, reasons.size()); ++i)
    table.notes.push_back(fmt::format("left out of {}: {}", side, reasons[i]));
  if (reasons.size() > kMostReasons)
    table.notes.push_back(
        fmt::format("left out of {}: {} more", side, reasons.size() - kMostReasons));
}

Table sets_table(const ComparedSet& a, const ComparedSet& b, const RunMetric& metric) {
  const std::vector<SetRow> rows{{"A", &a, summarise(a.values.values)},
                                 {"B", &b, summarise(b.values.values)}};
  Table table =
      table_of("sets", "Sets by " + metric.name + (metric.unit.empty() ? "" : ", " + metric.unit),
               set_columns(metric), rows);
  for (const SetRow& row : rows) {
    if (!row.set->unlike.empty())
      table.notes.push_back(fmt::format("{} averages different trainings: {}; narrow it with ids",
                                        row.side, row.set->unlike));
    note_left_out(table, row.side.c_str(), *row.set);
  }
  return table;
}

void add_test(std::vector<Figure>& figures, const WelchTest& test, const RunMetric& metric) {
  const Cell difference =
      metric.unit == "s" ? Cell(to_seconds(test.difference)) : Cell(test.difference);
  figures.insert(figures.end(),
                 {{"difference", "mean of A - mean of B", difference, "95 %, Welch"},
                  {"t", "t", number(test.t), fmt::format("{:.1f} degrees of freedom", test.df)},
                  {"degrees_of_freedom", "", Number{test.df, 1}},
                  {"p", "p", number(test.p_value), "two-sided, Welch"},
                  {"effect_size", "effect size", test.effect,
                   fmt::format("Hedges' g: {}", size_of_effect(test.effect_size))}});
}

void add_expectation(std::vector<Figure>& figures, const ComparedSet& a, const ComparedSet& b) {
  const auto expected = linear_expectation(a.values.values, a.cores_times_clock, b.values.values,
                                           b.cores_times_clock);
  if (!expected) return;
  figures.push_back(
      {"linear_expectation_s", "B by cores x clock", to_seconds(expected->seconds),
       fmt::format("mean of A x {:.3g} / {:.3g} GHz", *a.cores_times_clock, *b.cores_times_clock)});
  figures.push_back({"measured_over_expected", "B measured / expected", expected->ratio});
}

Table result_table(const ComparedSet& a, const ComparedSet& b, const RunMetric& metric,
                   const Comparison& comparison) {
  std::vector<Figure> figures{{"metric", "", metric.name},
                              {"unit", "", text_cell(metric.unit)},
                              {"larger_is_better", "", metric.larger_is_better}};
  const std::string gain = fmt::format("B {}, %", metric.better);
  if (comparison.gains) {
    const Interval<double>& gains = *comparison.gains;
    figures.push_back({"", gain,
                       Interval<double>{gains.low * 100, gains.mid * 100, gains.high * 100},
                       "95 %, Fieller"});
    figures.push_back({"gain", "", gains});
  } else if (comparison.gain) {
    figures.push_back({"", gain, number(*comparison.gain * 100), "means only"});
    figures.push_back({"gain", "", number(*comparison.gain)});
  }
  if (comparison.test) add_test(figures, *comparison.test, metric);
  if (metric.kind == RunMetric::Kind::time) add_expectation(figures, a, b);
  figures.push_back({"verdict", "", comparison.verdict});
  return figure_table("comparison", "Comparison by " + metric.name, std::move(figures));
}

}  // namespace

std::vector<Table> comparison_tables(const ComparedSet& a, const ComparedSet& b,
                                     const RunMetric& metric, const Comparison& comparison) {
  std::vector<Table> tables{sets_table(a, b, metric), result_table(a, b, metric, comparison)};
  tables.front().answer = {comparison.verdict};
  return tables;
}

}  // namespace lapcast

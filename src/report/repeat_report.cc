#include "report/repeat_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "core/units.h"
#include "report/cells.h"
#include "stats/intervals.h"
#include "stats/summary.h"

namespace lapcast {
namespace {

/// Limits the groups in a matrix of p-values, whose columns should fit on a terminal.
constexpr std::size_t kMostInMatrix = 12;

struct NumberedGroup {
  std::size_t number = 0;  // from 1
  const RepeatGroup* group = nullptr;
  const RepeatRow* row = nullptr;
  const RepeatRule* rule = nullptr;
  bool is_baseline = false;
};

std::string remark(const NumberedGroup& one) {
  std::string text = one.group->reason;
  const auto add = [&text](const std::string& more) { text += (text.empty() ? "" : "; ") + more; };
  if (one.is_baseline) add("baseline");
  if (one.row->times.size() == 1) add("one run: no interval");
  if (judge_repeats(one.row->times, *one.rule) == Repeats::not_precise)
    add(fmt::format("wider than +-{}", format_share(one.rule->precision)));
  if (one.row->costs.empty() && !one.row->times.empty() && !one.row->why_no_cost.empty())
    add("no cost: " + one.row->why_no_cost);
  return text;
}

Cell deviation(const RepeatRow& row) {
  return row.times.size() > 1 ? Cell(Seconds{standard_deviation(row.times)}) : Cell();
}

/// Limits means to about the largest amount that Money can hold, in USD.
constexpr double kMostDollars = 9e9;

/// Returns a mean of bills as an amount, for printing.
Money money_of(double dollars) {
  return scaled(Money::from_nanos(1'000'000'000), dollars);
}

using GroupColumn = ColumnOf<NumberedGroup>;

/// Returns a function that makes the cell of a group from a figure of its row.
template <typename Value>
auto of_row(Value value) {
  return [value](const NumberedGroup& one) { return cell_of(std::invoke(value, *one.row)); };
}

auto mean_of_row(const char* metric, std::vector<double> RepeatRow::*values) {
  return of_row([metric, values](const RepeatRow& row) {
    return mean_of(parse_run_metric(metric), row.*values);
  });
}

std::optional<Interval<Money>> mean_cost(const RepeatRow& row) {
  if (row.costs.empty()) return std::nullopt;
  const Interval<double> dollars = row.costs.size() > 1
                                       ? cut_to_range(mean_interval(row.costs), 0, kMostDollars)
                                       : Interval<double>::exactly(row.costs.front());
  return Interval<Money>{money_of(dollars.low), money_of(dollars.mid), money_of(dollars.high)};
}

std::vector<GroupColumn> time_columns() {
  const auto median_time = [](const RepeatRow& row) {
    return row.times.empty() ? Cell() : Cell(Seconds{median(row.times)});
  };
  return {
      {"number", "#", &NumberedGroup::number},
      {"machine_type", "machine", [](auto& one) { return one.group->machine_type; }},
      {"settings", "settings", [](auto& one) { return Settings{one.group->settings}; }, kOptional},
      {"training", "arguments", [](auto& one) { return text_cell(one.group->training); },
       kOptional},
      {"n", "n", of_row([](auto& row) { return row.times.size(); })},
      {"warm_ups", "warm-ups", of_row(&RepeatRow::warm_ups), spare(4)},
      {"time_s", "mean time", mean_of_row("time", &RepeatRow::times), kBounds},
      {"sd_s", "sd", of_row(deviation), spare(1)},
      {"median_s", "median", of_row(median_time), spare(3)}};
}

std::vector<GroupColumn> accuracy_columns() {
  return {
      {"accuracy", "accuracy", mean_of_row("accuracy", &RepeatRow::accuracies),
       kBounds | kOptional},
      {"training_accuracy", "training accuracy",
       mean_of_row("training-accuracy", &RepeatRow::training_accuracies),
       kBounds | kOptional | spare(5)},
      {"last_accuracy", "last accuracy", mean_of_row("last-accuracy", &RepeatRow::last_accuracies),
       kBounds | kOptional | spare(6)},
      {"last_training_accuracy", "last training accuracy",
       mean_of_row("last-training-accuracy", &RepeatRow::last_training_accuracies),
       kBounds | kOptional | spare(7)},
      {"test_time_s", "test time", mean_of_row("test-time", &RepeatRow::test_times),
       kBounds | kOptional | spare(2)}};
}

std::vector<GroupColumn> comparing_columns() {
  const auto joules = [](const RepeatRow& row) { return mean_number(row.joules, {.lowest = 0}); };
  const auto expected_time = [](const RepeatRow& row) {
    return cell_if(row.expectation, [](auto& one) { return to_seconds(one.seconds); });
  };
  const auto over_expected = [](const RepeatRow& row) {
    return cell_if(row.expectation, [](auto& one) { return one.ratio; });
  };
  return {
      {"cost_usd", "cost", of_row(mean_cost), kBounds | kOptional},
      {"speed_up", "speed-up", of_row(&RepeatRow::speed_up), kBounds},
      {"linear_expectation_s", "by cores x clock", of_row(expected_time),
       kBounds | kOptional | spare(8)},
      {"measured_over_expected", "measured / expected", of_row(over_expected),
       kBounds | kOptional | spare(9)},
      {"speed_up_over_cores", "", of_row(&RepeatRow::over_cores), kBounds},
      {"speed_up_over_server", "", of_row(&RepeatRow::over_server), kBounds},
      {"", "GPU", [](auto& one) { return gpu_notation(one.row->over_cores, one.row->over_server); },
       kOptional},
      {"cost_efficiency", "cost efficiency",
       of_row([](auto& row) { return share_cell(row.cost_efficiency); }), kOptional},
      {"energy_j", "energy, J", of_row(joules), kBounds | kOptional},
      {"baseline", "", &NumberedGroup::is_baseline},
      {"reason", "", [](auto& one) { return text_cell(one.group->reason); }},
      {"", "remark", remark, kOptional}};
}

std::vector<GroupColumn> group_columns() {
  std::vector<GroupColumn> all = time_columns();
  for (const auto& more : {accuracy_columns(), comparing_columns()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

std::vector<ColumnOf<RepeatTest>> test_columns(const std::vector<std::string>& names) {
  const auto of_test = [](auto value) {
    return [value](const RepeatTest& test) { return cell_if(test.comparison.test, value); };
  };
  return {{"metric", "metric", [](auto& test) { return test.metric.name; }},
          {"a", "a", [&names](auto& test) { return names[test.a]; }},
          {"b", "b", [&names](auto& test) { return names[test.b]; }},
          {"t", "t", of_test([](auto& test) {
             return Number{test.t, -1};
           })},
          {"degrees_of_freedom", "df", of_test([](auto& test) {
             return Number{test.df, 1};
           })},
          {"p", "p", of_test([](auto& test) {
             return Number{test.p_value, -1};
           })},
          {"adjusted_p", "adjusted p",
           [](auto& test) {
             return test.adjusted_p ? Cell(Number{*test.adjusted_p, -1}) : Cell();
           }},
          {"effect_size", "effect size", of_test(&WelchTest::effect), kBounds},
          {"differs", "differs",
           [](auto& test) { return test.adjusted_p && *test.adjusted_p < kSignificant; }}};
}

std::string p_cell(const RepeatTest& test) {
  if (!test.adjusted_p) return "-";
  const double p = *test.adjusted_p;
  const std::string text = p < 0.0001 ? "<0.0001" : fmt::format("{:.2g}", p);
  return p < kSignificant ? text + " *" : text;
}

/// Returns the matrix of adjusted p-values of one metric, and its meaning in words. JSON has its
/// tests in a separate table.
Table matrix_of(const RepeatSummary& summary, const RunMetric& metric,
                const std::vector<std::string>& names) {
  Table table{.title = fmt::format("p-values by {} (Welch, adjusted by Holm; * below {})",
                                   metric.name, kSignificant)};
  // The answer of the first table has the result for times.
  if (metric.kind != RunMetric::Kind::time) table.after = words_of_tests(summary, metric, names);
  if (names.size() > kMostInMatrix) {
    table.before = {
        fmt::format("{} groups are too many to draw; --json has every test", names.size())};
    return table;
  }
  table.columns = {{"number", "#"}, {"group", "group"}};
  for (std::size_t i = 1; i < names.size(); ++i)
    table.columns.push_back({names[i], std::to_string(i + 1)});
  for (std::size_t a = 0; a + 1 < names.size(); ++a) {
    std::vector<Cell> cells{static_cast<std::int64_t>(a + 1), names[a]};
    for (std::size_t b = 1; b < names.size(); ++b) {
      const auto test = std::ranges::find_if(summary.tests, [&](const RepeatTest& one) {
        return one.metric.name == metric.name && one.a == a && one.b == b;
      });
      cells.push_back(test == summary.tests.end() ? Cell() : Cell(p_cell(*test)));
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace

std::vector<Table> repeat_tables(const std::string& set, const std::vector<RepeatGroup>& groups,
                                 const RepeatSummary& summary, const RepeatRule& rule) {
  const bool same_settings = std::ranges::all_of(groups, [&](const RepeatGroup& group) {
    return group.settings == groups.front().settings && group.training.empty();
  });
  std::vector<NumberedGroup> rows;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    rows.push_back({i + 1, &groups[i], &summary.rows[i], &rule, i == summary.baseline});
    names.push_back(same_settings ? groups[i].machine_type : name_of(groups[i]));
  }
  std::vector<Table> tables{
      table_of("repeats", "Runs to their end: means with 95 % intervals", group_columns(), rows)};
  tables.front().answer = words_of_tests(summary, parse_run_metric("time"), names);
  tables.front().after = {"set " + set};
  for (const RunMetric& metric : tested_metrics()) {
    const bool was_tested = std::ranges::any_of(
        summary.tests, [&](const RepeatTest& test) { return test.metric.name == metric.name; });
    if (was_tested && !metric.is_last) tables.push_back(matrix_of(summary, metric, names));
  }
  tables.push_back(table_of("repeat_tests", "", test_columns(names), summary.tests));
  tables.back().only_json = true;
  tables.push_back(json_record("repeat_set", {{"set", "", set}}));
  return tables;
}

}  // namespace lapcast

// Tables 5.6 to 5.13, A.1 to A.3 and B.1 to B.4 of Malta 2021: relative times and costs of
// simulated trainings, and the pick of each column.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "rank/ranking.h"
#include "suite/papers/malta.h"
#include "suite/papers/paper_offers.h"

namespace lapcast {
namespace {

// 1.00 means 100 hours, so that billing by the second has no visible effect.
constexpr double kSecondsOfOne = 3.6e5;
// The other columns are divided by this machine's: it is the fastest of most tables.
constexpr const char* kReference = "p3.2xlarge";

/// Names a column of values: "a", "b" or "c" of simulated epochs, or the real one.
struct RelativeColumn {
  std::string value;
  std::string epochs;  // the column with their number; empty = real
};
const std::vector<RelativeColumn>& relative_columns() {
  static const std::vector<RelativeColumn> columns{
      {"value_a", "epochs_a"}, {"value_b", "epochs_b"}, {"value_c", "epochs_c"}, {"real", ""}};
  return columns;
}

/// Holds the rows of one half of a table, one for each machine.
struct RelativeTable {
  std::vector<PaperRow> rows;
  const PaperRow& head() const { return rows.front(); }
  const std::string& text(const char* column) const { return head().text(column); }
  std::string setting() const { return text("application") + " batch " + text("batch_size"); }
  /// Returns "10 epochs", "10 epochs without validation", "real" or "real (lower half)".
  std::string name_of(const RelativeColumn& column) const {
    // The seismic set was only simulated without validation; the tables of the other set have two
    // halves with the same real column.
    const bool has_halves = text("application") == "mnist-simple-cnn";
    const bool is_upper = text("validation") == "yes";
    if (column.epochs.empty())
      return !has_halves ? "real" : is_upper ? "real (upper half)" : "real (lower half)";
    const std::string epochs = text(column.epochs.c_str()) + " epochs";
    if (!has_halves) return epochs;
    return epochs + (is_upper ? " with validation" : " without validation");
  }
  const PaperRow& of_machine(const std::string& machine_type) const {
    return row_where(rows,
                     [&](const PaperRow& row) { return row.text("machine_type") == machine_type; });
  }
};

/// Returns the halves in the order of their tables.
std::vector<RelativeTable> relative_tables() {
  std::vector<RelativeTable> tables;
  std::string last;
  for (PaperRow& row : paper_rows(malta_relative_csv())) {
    const std::string key = row.text("table") + row.text("objective") + row.text("validation");
    if (key != last) tables.emplace_back();
    last = key;
    tables.back().rows.push_back(std::move(row));
  }
  return tables;
}

/// Returns the times from which the costs of a table were computed.
const RelativeTable& times_of(const std::vector<RelativeTable>& tables, const RelativeTable& of) {
  const auto times = std::ranges::find_if(tables, [&](const RelativeTable& other) {
    return other.text("objective") == "time" && other.setting() == of.setting() &&
           other.text("validation") == of.text("validation");
  });
  if (times == tables.end()) throw Error(ExitCode::bad_input, "costs without times in a paper");
  return *times;
}

/// Returns the relative costs, by machine type, that rank() computes from relative times.
std::map<std::string, Interval<double>> relative_costs(const RelativeTable& times,
                                                       const std::string& column) {
  std::vector<Candidate> candidates;
  for (const PaperRow& row : times.rows) {
    const Interval<double> time = row.number(column).value;
    const double low = std::max(1.0, time.low);  // no relative value is below 1
    candidates.push_back(
        {.machine_type = row.text("machine_type"),
         .time = Interval<Seconds>{Seconds{low * kSecondsOfOne}, Seconds{time.mid * kSecondsOfOne},
                                   Seconds{time.high * kSecondsOfOne}}});
  }
  const Ranking ranking = rank(std::move(candidates), paper_offers(), {});
  double smallest_low = HUGE_VAL;
  double smallest_high = HUGE_VAL;
  for (const Choice& choice : ranking.chosen) {
    smallest_low = std::min(smallest_low, choice.quote.total.low.dollars());
    smallest_high = std::min(smallest_high, choice.quote.total.high.dollars());
  }
  std::map<std::string, Interval<double>> costs;
  for (const Choice& choice : ranking.chosen)
    costs[choice.candidate->machine_type] = {
        std::max(1.0, choice.quote.total.low.dollars() / smallest_high), choice.relative_cost,
        std::max(1.0, choice.quote.total.high.dollars() / smallest_low)};
  return costs;
}

PaperCell relative_cell(const RelativeTable& table, const PaperRow& row,
                        const RelativeColumn& column, const Interval<double>& recomputed) {
  PaperCell cell{.table = row.text("table"),
                 .place = row.text("place"),
                 .row = row.text("machine_type"),
                 .quantity = table.text("objective") + ", " + table.name_of(column),
                 .unit = "ratio",
                 .printed = row.number_if(column.value),
                 .recomputed = recomputed};
  if (!cell.printed) cell.reason = "from the times; the cell cannot be read in the full text";
  return cell;
}

void add_cost_cells(std::vector<PaperCell>& cells, const RelativeTable& costs,
                    const RelativeTable& times) {
  for (const RelativeColumn& column : relative_columns()) {
    const auto ours = relative_costs(times, column.value);
    for (const PaperRow& row : costs.rows)
      cells.push_back(relative_cell(costs, row, column, ours.at(row.text("machine_type"))));
  }
}

/// Returns the number; exactly 1 for a machine with the smallest relative time.
Printed or_exactly_one(const PaperRow& row, const std::string& column) {
  Printed number = row.number(column);
  if (number.value.mid == 1) number.value = Interval<double>::exactly(1);
  return number;
}

/// Returns the weight of the last column in the middle one that fits a table best. A simulated time
/// is fixed + each * epochs, so a machine's time over that of a reference is, in the middle column,
/// a weighted mean of its values in the outer ones, with one weight for all machines.
double weight_of_last(const RelativeTable& table) {
  const PaperRow& reference = table.of_machine(kReference);
  const auto over_reference = [&](const PaperRow& row, const char* column) {
    return row.number(column).value.mid / reference.number(column).value.mid;
  };
  double products = 0;
  double squares = 0;
  for (const PaperRow& row : table.rows) {
    const double first = over_reference(row, "value_a");
    const double all = over_reference(row, "value_c") - first;
    products += (over_reference(row, "value_b") - first) * all;
    squares += all * all;
  }
  return squares > 0 ? products / squares : 0;
}

void add_time_cells(std::vector<PaperCell>& cells, const RelativeTable& table) {
  const double weight = weight_of_last(table);
  const PaperRow& reference = table.of_machine(kReference);
  for (const PaperRow& row : table.rows) {
    if (&row == &reference) continue;
    const auto middle = over_rounding(
        {row.number("value_a"), row.number("value_c"), or_exactly_one(reference, "value_a"),
         or_exactly_one(reference, "value_b"), or_exactly_one(reference, "value_c")},
        [&](auto x) { return ((1 - weight) * x[0] / x[2] + weight * x[1] / x[4]) * x[3]; });
    cells.push_back(relative_cell(table, row, relative_columns()[1], middle));
  }
}

/// Adds the real times of table 5.6, to be compared with those of the same machines in table 5.7.
void add_strategy_cells(std::vector<PaperCell>& cells, const RelativeTable& real) {
  for (const PaperRow& row : paper_rows(malta_strategies_csv()))
    cells.push_back({.table = row.text("table"),
                     .place = row.text("place"),
                     .row = row.text("machine_type"),
                     .quantity = "time, real",
                     .unit = "ratio",
                     .printed = row.number("real"),
                     .recomputed = real.of_machine(row.text("machine_type")).number("real").value});
}

std::vector<PaperPick> strategy_picks() {
  const std::vector<PaperRow> rows = paper_rows(malta_strategies_csv());
  std::vector<PaperPick> picks;
  for (const auto& [column, name] : {std::pair{"first_iteration", "first iteration"},
                                     {"second_iteration", "second iteration"},
                                     {"mean_of_2_to_10", "mean of iterations 2 to 10"}}) {
    std::vector<MachineValue> values;
    for (const PaperRow& row : rows)
      values.push_back(
          {row.text("machine_type"), row.number(column).value.mid, row.number("real").value.mid});
    PaperPick& pick = picks.emplace_back();
    pick.table = rows.front().text("table");
    pick.place = rows.front().text("place");
    pick.setting = "seismic-fcn batch 256";
    pick.strategy = name;
    pick.objective = "time";
    choose_pick(pick, values);
  }
  return picks;
}

PaperPick pick_of(const RelativeTable& table, const RelativeColumn& column) {
  std::vector<MachineValue> values;
  for (const PaperRow& row : table.rows)
    if (const auto value = row.number_if(column.value))
      values.push_back({row.text("machine_type"), value->value.mid, row.number("real").value.mid});
  PaperPick pick;
  pick.table = table.text("table");
  pick.place = table.text("place");
  pick.setting = table.setting();
  pick.strategy = table.name_of(column);
  pick.objective = table.text("objective");
  choose_pick(pick, values);
  return pick;
}

}  // namespace

std::vector<PaperCell> malta_relative_cells() {
  const std::vector<RelativeTable> tables = relative_tables();
  std::vector<PaperCell> cells;
  add_strategy_cells(cells, tables.front());
  for (const RelativeTable& table : tables) {
    if (table.text("objective") == "time")
      add_time_cells(cells, table);
    else
      add_cost_cells(cells, table, times_of(tables, table));
  }
  return cells;
}

std::vector<PaperPick> malta_picks() {
  std::vector<PaperPick> picks = strategy_picks();
  for (const RelativeTable& table : relative_tables())
    for (const RelativeColumn& column : relative_columns())
      if (!column.epochs.empty()) picks.push_back(pick_of(table, column));
  return picks;
}

}  // namespace lapcast

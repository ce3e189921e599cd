#include "commands/rank/strategy_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/units.h"
#include "rank/odds.h"

namespace lapcast {
namespace {

using Values = std::vector<std::optional<double>>;

// The names are in the order of kAllMethods; headers are short so that a row fits a terminal.
constexpr const char* kMethodHeaders[] = {"lapcast", "epoch",   "it. + val.", "iteration",
                                          "1st it.", "2nd it.", "it. 2-10"};

/// Returns a name as part of a JSON key: "mean_2_10".
std::string key_of(std::string_view name) {
  std::string key(name);
  std::ranges::replace(key, '-', '_');
  return key;
}

std::string name_of(const StrategyRow& row) {
  std::string name = row.machine_type;
  for (const std::string& part : {row.settings, row.offer})
    if (!part.empty()) name += " " + part;
  return name;
}

/// Adds the columns of a method, or of the real values: for people as ratios to the smallest value,
/// for programs as they are.
void add_value_columns(std::vector<ColumnOf<std::size_t>>& columns, const std::string& key,
                       const char* header, const Values& values, Objective by,
                       ColumnTraits traits) {
  const double smallest = smallest_of(values);
  columns.push_back(
      {"relative_" + key, header,
       [values, smallest](std::size_t row) {
         return cell_if(values[row], [smallest](double value) {
           return Number{smallest > 0 ? value / smallest : value > 0 ? HUGE_VAL : 1, 2};
         });
       },
       traits});
  columns.push_back({key + (by == Objective::cost ? "_usd" : "_s"), "", [values](std::size_t row) {
                       return cell_if(values[row], [](double value) { return Number{value, -1}; });
                     }});
}

Table value_table(const Strategies& strategies) {
  const std::vector<StrategyRow>& rows = strategies.rows;
  const auto of_row = [&rows](auto value) {
    return [&rows, value](std::size_t row) { return cell_of(value(rows[row])); };
  };
  std::vector<ColumnOf<std::size_t>> columns{
      {"machine_type", "machine", of_row([](auto& row) { return row.machine_type; })},
      {"settings", "settings", of_row([](auto& row) { return Settings{row.settings}; }), kOptional},
      {"offer", "offer", of_row([](auto& row) { return text_cell(row.offer); }), kOptional}};
  for (const Method method : kAllMethods)
    add_value_columns(columns, key_of(to_string(method)),
                      kMethodHeaders[static_cast<std::size_t>(method)], strategies.column(method),
                      strategies.by, kOptional);
  add_value_columns(columns, "real", "Real", strategies.real_column(), strategies.by, kOptional);
  columns.push_back({"real_runs", "", of_row([](auto& row) { return row.real_runs; })});
  std::vector<std::size_t> numbers(rows.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = i;
  const std::string by = strategies.by == Objective::cost ? "cost" : "time";
  Table table =
      table_of("strategies",
               fmt::format("The {} by each method, over the smallest of its column [Malta]", by),
               columns, numbers);
  const auto real = strategies.real_column();
  if (std::ranges::none_of(real, [](auto& value) { return value.has_value(); }))
    table.notes.push_back(
        "no candidate was run to its end, so nothing is known of what is really best: lapcast "
        "verify --all runs all");
  else
    table.notes.push_back(
        "Real is the mean of runs to the end; they teach the column lapcast nothing here");
  if (strategies.of_other_plans > 0)
    table.notes.push_back(
        fmt::format("{} runs to the end are of another length of the training and do not count; "
                    "--epochs says which length is meant",
                    strategies.of_other_plans));
  for (const MissingForecasts& missing : strategies.missing)
    table.notes.push_back(fmt::format("{}: {} cannot be ranked: {}", to_string(missing.method),
                                      counted(missing.candidates, "candidate"), missing.reason));
  return table;
}

struct PickedRow {
  Method method = Method::lapcast;
  ColumnVerdict verdict;
};

std::string names_of_picks(const PickedRow& row, const Strategies& strategies) {
  std::string names;
  for (const std::size_t pick : row.verdict.pick->rows)
    names += (names.empty() ? "" : " or ") + name_of(strategies.rows[pick]);
  return names;
}

/// Returns the regret as text, with "at least" if not every candidate was run to its end.
std::string regret_text(const Result<Regret>& regret) {
  if (!regret) return "not known";
  return (regret->lower_bound ? "at least " : "") + format_share(regret->relative);
}

/// Returns the picks of the methods that can rank.
std::vector<PickedRow> picked_rows(const Strategies& strategies) {
  const auto real = strategies.real_column();
  std::vector<PickedRow> rows;
  for (const Method method : kAllMethods)
    if (ColumnVerdict verdict = judge_column(strategies.column(method), real); verdict.pick)
      rows.push_back({method, std::move(verdict)});
  return rows;
}

Table picks_table(const Strategies& strategies) {
  const auto real = strategies.real_column();
  const bool any_real = std::ranges::any_of(real, [](auto& value) { return value.has_value(); });
  const auto picked = [&](auto value) {
    return [&strategies, value](const PickedRow& row) {
      return cell_of(value(strategies.rows[row.verdict.pick->rows.front()]));
    };
  };
  const auto of_regret = [](auto value) {
    return [value](const PickedRow& row) { return cell_if(row.verdict.pick->most, value); };
  };
  Table table = table_of<PickedRow>(
      "strategy_picks", "What each method picks",
      {{"method", "method", [](auto& row) { return to_string(row.method); }},
       {"machine_type", "", picked([](auto& row) { return row.machine_type; })},
       {"settings", "", picked([](auto& row) { return Settings{row.settings}; })},
       {"offer", "", picked([](auto& row) { return text_cell(row.offer); })},
       {"", "pick", [&](auto& row) { return names_of_picks(row, strategies); }},
       {"best", "really best",
        of_regret([&](const Regret& regret) { return name_of(strategies.rows[regret.best]); }),
        kOptional},
       {"is_right", "", of_regret([](const Regret& regret) {
          return regret.lower_bound && regret.relative == 0 ? Cell() : Cell(regret.relative == 0);
        })},
       {"order_is_right", "right order",
        [](auto& row) { return cell_of(row.verdict.order_is_right); }, kOptional},
       {"regret", "", of_regret([](const Regret& regret) { return Percentage{regret.relative}; })},
       {"regret_is_lower_bound", "", of_regret(&Regret::lower_bound)},
       {"", any_real ? "regret" : "",
        [](auto& row) { return regret_text(row.verdict.pick->most); }},
       {"tau", "tau",
        [](auto& row) {
          return cell_if(row.verdict.tau, [](double tau) { return Number{tau, 2}; });
        },
        kOptional},
       {"compared", any_real ? "of candidates" : "", [](auto& row) { return row.verdict.compared; },
        spare(1)}},
      picked_rows(strategies));
  if (any_real)
    table.after.push_back(
        "regret: what the pick really loses against the best; tau: Kendall's rank correlation with "
        "Real, 1 = the same order");
  return table;
}

/// Returns the name of a way of searching as people read it.
std::string search_text(SearchWay way) {
  switch (way) {
    case SearchWay::everything:
      return "every candidate to its end";
    case SearchWay::two_epochs:
      return "two epochs of each [Malta, method 1]";
    case SearchWay::two_iterations:
      return "two iterations of each [Malta, method 2]";
    case SearchWay::probes:
      return "lapcast's probes";
    case SearchWay::race:
      return "lapcast's race";
  }
  return "";
}

/// Says how many parts of an expense are measured and forecast: "3 measured, 1 forecast".
std::string known_text(const SearchExpense& expense) {
  std::string text;
  const auto add = [&](std::size_t count, const char* what) {
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
  };
  add(expense.measured, "measured");
  add(expense.forecast, "forecast");
  add(expense.unknown, "not known");
  add(expense.unpriced, "without a price");
  return text;
}

struct SearchRow {
  SearchWay way = SearchWay::everything;
  SearchExpense expense;
};

std::vector<SearchRow> search_rows(const SearchBill& bill) {
  std::vector<SearchRow> rows;
  for (const SearchWay way : kAllSearchWays)
    if (SearchExpense expense = bill.total(way); expense.counted() > 0)
      rows.push_back({way, std::move(expense)});
  return rows;
}

Table ways_table(const Strategies& strategies) {
  const std::vector<SearchRow> rows = search_rows(strategies.bill);
  const SearchExpense everything = strategies.bill.total(SearchWay::everything);
  const bool priced = strategies.is_priced;
  const auto saved = [&](const SearchRow& row) -> Cell {
    const bool is_comparable =
        row.way != SearchWay::everything && everything.unknown == 0 && row.expense.unknown == 0;
    if (!is_comparable) return {};
    if (priced)
      return cell_if(saving(everything.sum.cost, row.expense.sum.cost),
                     [](double share) { return Percentage{share}; });
    if (everything.sum.time.count() <= 0) return {};
    return Percentage{1 - row.expense.sum.time / everything.sum.time};
  };
  const auto cost = [priced](const SearchRow& row) {
    return priced ? Cell(row.expense.sum.cost) : Cell();
  };
  Table table =
      table_of<SearchRow>("search_ways", "The bill of the search",
                          {{"way", "", [](auto& row) { return to_string(row.way); }},
                           {"", "what is run", [](auto& row) { return search_text(row.way); }},
                           {"cost_usd", "cost", cost, kOptional},
                           {"time_s", "time", [](auto& row) { return row.expense.sum.time; }},
                           {"saving", "saved", saved, kOptional},
                           {"measured", "", [](auto& row) { return row.expense.measured; }},
                           {"forecast", "", [](auto& row) { return row.expense.forecast; }},
                           {"unknown", "", [](auto& row) { return row.expense.unknown; }},
                           {"unpriced", "", [](auto& row) { return row.expense.unpriced; }},
                           {"", "how known", [](auto& row) { return known_text(row.expense); }}},
                          rows);
  table.after.push_back("saved: against running every candidate to its end, once");
  return table;
}

Table machines_table(const Strategies& strategies) {
  using Machine = std::pair<const std::string, SearchBill::ByWay>;
  const bool priced = strategies.is_priced;
  std::vector<ColumnOf<Machine>> columns{{"machine_type", "machine", &Machine::first}};
  for (const SearchRow& row : search_rows(strategies.bill)) {
    const std::string key = key_of(to_string(row.way));
    std::string header(to_string(row.way));
    std::ranges::replace(header, '-', ' ');
    const auto add = [&](const std::string& unit, bool is_shown, auto value) {
      columns.push_back(
          {key + unit, is_shown ? header : "", [way = row.way, value](const Machine& machine) {
             const auto& expense = machine.second[static_cast<std::size_t>(way)];
             return expense.counted() > 0 ? Cell(value(expense.sum)) : Cell();
           }});
    };
    add("_usd", priced, [priced](const Expense& sum) { return priced ? Cell(sum.cost) : Cell(); });
    add("_s", !priced, [](const Expense& sum) { return Cell(sum.time); });
  }
  return table_of("search_machines", "The bill of the search by machine", columns,
                  strategies.bill.machines());
}

}  // namespace

std::vector<Table> strategy_tables(const Strategies& strategies) {
  return {value_table(strategies), picks_table(strategies), ways_table(strategies),
          machines_table(strategies)};
}

}  // namespace lapcast

#pragma once

#include <array>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/money.h"
#include "core/seconds.h"
#include "forecast/forecast.h"
#include "rank/odds.h"
#include "rank/ranking.h"
#include "rank/search_bill.h"

namespace lapcast {

/// Says what a column of values picks, judged by the real values of the same rows.
struct ColumnPick {
  /// Lists the rows that tie for the smallest value, sorted by real value, best first; rows without
  /// a known real value are last.
  std::vector<std::size_t> rows;
  Result<Regret> least;  // of the first row
  Result<Regret> most;   // of the last row
};

/// Returns the smallest value of a column; infinity if it has no values.
double smallest_of(std::span<const std::optional<double>> column);

/// Returns what a column picks; nullopt if it has no values.
std::optional<ColumnPick> pick_of_column(std::span<const std::optional<double>> column,
                                         std::span<const std::optional<double>> real);

/// Says how good a column of values is, judged by the real values of the same rows.
struct ColumnVerdict {
  std::optional<ColumnPick> pick;
  std::size_t compared = 0;  // rows that have both values
  /// Says whether no two of these rows are in another order than by the real values; nullopt for
  /// fewer than two rows.
  std::optional<bool> order_is_right;
  std::optional<double> tau;  // RankAgreement::tau()
};
ColumnVerdict judge_column(std::span<const std::optional<double>> column,
                           std::span<const std::optional<double>> real);

struct StrategyValue {
  Seconds time{0};
  Money cost;
};

/// Holds one way of training with the values of each method.
struct StrategyRow {
  std::string machine_type;
  std::string settings;
  std::string offer;  // its name, if that says more than the machine type
  std::array<std::optional<StrategyValue>, std::size(kAllMethods)> forecasts;  // as kAllMethods
  std::optional<StrategyValue> real = {};  // the mean of its full runs
  std::size_t real_runs = 0;
};

struct MissingForecasts {
  Method method = Method::lapcast;
  std::size_t candidates = 0;
  std::string reason;
};

/// Compares the methods as strategies to find the best candidate, as table 5.6 of Malta 2021.
struct Strategies {
  Objective by = Objective::cost;  // or time
  bool is_priced = false;
  std::vector<StrategyRow> rows;          // best first, by lapcast
  std::vector<MissingForecasts> missing;  // in the order of kAllMethods
  std::size_t of_other_plans = 0;         // full runs of another training than the forecast one
  SearchBill bill;

  /// Returns the values by which a method ranks the rows, in dollars or seconds.
  std::vector<std::optional<double>> column(Method method) const;
  std::vector<std::optional<double>> real_column() const;
};

}  // namespace lapcast

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
  /// Holds the rows with the smallest value, the really best of them first; those whose real value
  /// is not known are last.
  std::vector<std::size_t> rows;
  Result<Regret> least;  // of the first of the rows
  Result<Regret> most;   // of the last
};

/// Returns the smallest value of a column; infinity for a column without any value.
double smallest_of(std::span<const std::optional<double>> column);

/// Returns what a column picks; nothing for a column without any value.
std::optional<ColumnPick> pick_of_column(std::span<const std::optional<double>> column,
                                         std::span<const std::optional<double>> real);

/// Says how good a column of values is, judged by the real values of the same rows.
struct ColumnVerdict {
  std::optional<ColumnPick> pick;
  std::size_t compared = 0;  // rows that have both values
  /// Says whether no two of these rows are in another order than by the real values; nothing for
  /// fewer than two rows.
  std::optional<bool> order_is_right;
  std::optional<double> tau;  // RankAgreement::tau()
};
ColumnVerdict judge_column(std::span<const std::optional<double>> column,
                           std::span<const std::optional<double>> real);

/// Holds how long a training takes and what that costs.
struct StrategyValue {
  Seconds time{0};
  Money cost;
};

/// Holds one way of training and what each method says of it.
struct StrategyRow {
  std::string machine_type;
  std::string settings;
  std::string offer;  // its name, where that says more than the machine type
  std::array<std::optional<StrategyValue>, std::size(kAllMethods)> forecasts;  // as kAllMethods
  std::optional<StrategyValue> real = {};  // the mean of its runs to the end
  std::size_t real_runs = 0;
};

/// Says why a method has no forecast for some of the candidates.
struct MissingForecasts {
  Method method = Method::lapcast;
  std::size_t candidates = 0;
  std::string reason;
};

/// Compares the methods as strategies to find the best candidate, as table 5.6 of Malta 2021.
struct Strategies {
  Objective by = Objective::cost;  // or time
  bool is_priced = false;
  std::vector<StrategyRow> rows;          // the best by lapcast first
  std::vector<MissingForecasts> missing;  // in the order of kAllMethods
  std::size_t of_other_plans = 0;         // runs to the end that are not of the forecast training
  SearchBill bill;

  /// Returns the values by which a method ranks the rows, in dollars or seconds.
  std::vector<std::optional<double>> column(Method method) const;
  /// Returns the real values of the rows.
  std::vector<std::optional<double>> real_column() const;
};

}  // namespace lapcast

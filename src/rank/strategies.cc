#include "rank/strategies.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "stats/rank_correlation.h"

namespace lapcast {
namespace {

std::optional<double> value_by(Objective by, const std::optional<StrategyValue>& value) {
  if (!value) return std::nullopt;
  return by == Objective::cost ? value->cost.dollars() : value->time.count();
}

}  // namespace

double smallest_of(std::span<const std::optional<double>> column) {
  double smallest = std::numeric_limits<double>::infinity();
  for (const auto& value : column)
    if (value) smallest = std::min(smallest, *value);
  return smallest;
}

std::optional<ColumnPick> pick_of_column(std::span<const std::optional<double>> column,
                                         std::span<const std::optional<double>> real) {
  const double smallest = smallest_of(column);
  std::vector<std::pair<std::size_t, Result<Regret>>> picked;
  for (std::size_t i = 0; i < column.size(); ++i)
    if (column[i] && *column[i] <= smallest) picked.emplace_back(i, regret_of(i, real));
  if (picked.empty()) return std::nullopt;
  std::ranges::stable_sort(picked, {}, [](const auto& pick) {
    return pick.second ? pick.second->relative : std::numeric_limits<double>::infinity();
  });
  ColumnPick pick{{}, picked.front().second, picked.back().second};
  for (const auto& [row, regret] : picked) pick.rows.push_back(row);
  return pick;
}

ColumnVerdict judge_column(std::span<const std::optional<double>> column,
                           std::span<const std::optional<double>> real) {
  ColumnVerdict verdict{.pick = pick_of_column(column, real)};
  std::vector<double> forecast_values;
  std::vector<double> real_values;
  for (std::size_t i = 0; i < std::min(column.size(), real.size()); ++i) {
    if (!column[i] || !real[i]) continue;
    forecast_values.push_back(*column[i]);
    real_values.push_back(*real[i]);
  }
  verdict.compared = real_values.size();
  if (verdict.compared < 2) return verdict;
  const RankAgreement agreement = rank_agreement(forecast_values, real_values);
  verdict.order_is_right = agreement.discordant == 0;
  verdict.tau = agreement.tau();
  return verdict;
}

std::vector<std::optional<double>> Strategies::column(Method method) const {
  std::vector<std::optional<double>> values;
  for (const StrategyRow& row : rows)
    values.push_back(value_by(by, row.forecasts[static_cast<std::size_t>(method)]));
  return values;
}

std::vector<std::optional<double>> Strategies::real_column() const {
  std::vector<std::optional<double>> values;
  for (const StrategyRow& row : rows) values.push_back(value_by(by, row.real));
  return values;
}

}  // namespace lapcast

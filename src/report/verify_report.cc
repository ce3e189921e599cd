#include "report/verify_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "choose/saving.h"
#include "core/units.h"
#include "report/table_cell.h"

namespace lapcast {
namespace {

std::string name_of(const VerifiedForecast& row) {
  return row.settings.empty() ? row.machine_type : row.machine_type + " " + row.settings;
}

std::size_t cheapest_forecast(const std::vector<VerifiedForecast>& rows) {
  const auto cost = [](const VerifiedForecast& row) {
    return row.forecast_cost ? row.forecast_cost->mid : Money::from_nanos(INT64_MAX);
  };
  return static_cast<std::size_t>(
      std::min_element(rows.begin(), rows.end(),
                       [&](const auto& a, const auto& b) { return cost(a) < cost(b); }) -
      rows.begin());
}

std::size_t fastest_forecast(const std::vector<VerifiedForecast>& rows) {
  return static_cast<std::size_t>(
      std::min_element(rows.begin(), rows.end(),
                       [](const auto& a, const auto& b) { return a.forecast.mid < b.forecast.mid; }) -
      rows.begin());
}

std::string regret_note(const std::string& what, const std::vector<VerifiedForecast>& rows,
                        std::size_t pick, const Result<Regret>& regret) {
  if (!regret)
    return fmt::format("regret by {} of {}: not known: {}", what, name_of(rows[pick]),
                       regret.error().text);
  return fmt::format("regret by {} of {}: {}{}; the best was {}", what, name_of(rows[pick]),
                     regret->lower_bound ? "at least " : "", format_share(regret->relative),
                     name_of(rows[regret->best]));
}

/// The candidate that someone takes who only reads the price list: the lowest price per hour; of
/// several the cheapest, to be fair to them.
const VerifiedForecast* by_the_price_list(const std::vector<VerifiedForecast>& rows) {
  const VerifiedForecast* chosen = nullptr;
  for (const VerifiedForecast& row : rows) {
    if (!row.price_per_hour || !row.real_cost) continue;
    if (chosen == nullptr || std::pair(*row.price_per_hour, *row.real_cost) <
                                 std::pair(*chosen->price_per_hour, *chosen->real_cost))
      chosen = &row;
  }
  return chosen;
}

/// "In short: ..."; empty when the pick was not run or has no price.
std::string in_short(const std::vector<VerifiedForecast>& rows, const Verdicts& verdicts,
                     const ProbeBill& bill) {
  if (rows.empty() || !verdicts.errors.median) return "";
  const VerifiedForecast& pick = rows[cheapest_forecast(rows)];
  if (!pick.real_cost) return "";
  std::string text = fmt::format(
      "In short: {} probes for {} USD picked {} as the cheapest, {} USD a training", bill.probes,
      rounded_decimal(bill.total), name_of(pick), rounded_decimal(*pick.real_cost));
  const VerifiedForecast* naive = by_the_price_list(rows);
  if (naive != nullptr && naive != &pick)
    if (const auto saved = saving(*naive->real_cost, *pick.real_cost))
      text += fmt::format("; that is {} less than on {}, which has the lowest price per hour",
                          format_share(*saved), name_of(*naive));
  return fmt::format("{}; the forecasts were off by {} (median of {})", text,
                     format_share(*verdicts.errors.median), verdicts.errors.known);
}

}  // namespace

Verdicts verdicts_of(const std::vector<VerifiedForecast>& rows) {
  Verdicts verdicts;
  if (rows.empty()) return verdicts;
  std::vector<ForecastAndReal> pairs;
  std::vector<std::optional<double>> times, costs;
  for (const VerifiedForecast& row : rows) {
    times.push_back(row.real ? std::optional(row.real->count()) : std::nullopt);
    costs.push_back(row.real_cost ? std::optional(row.real_cost->dollars()) : std::nullopt);
    if (row.real) pairs.push_back({row.forecast, *row.real});
  }
  verdicts.errors = errors_of(pairs);
  verdicts.by_cost = regret_of(cheapest_forecast(rows), costs);
  verdicts.by_time = regret_of(fastest_forecast(rows), times);
  return verdicts;
}

std::vector<Table> verify_tables(const std::vector<VerifiedForecast>& rows, const ProbeBill& bill) {
  Table table{"Forecast against real",
              {},
              {{"machine_type", "machine"},
               {.key = "settings", .header = "settings", .optional = true},
               {.key = "epochs", .header = "epochs", .optional = true, .spare = 3},
               {"forecast_s", "forecast", true},
               {"real_s", "real"},
               {"error", "error"},
               {"inside", "inside 95 %"},
               {.key = "forecast_cost_usd", .header = "forecast USD", .optional = true, .spare = 1},
               {.key = "real_cost_usd", .header = "real USD", .optional = true},
               {.key = "accuracy", .header = "accuracy", .optional = true, .spare = 2},
               {.key = "reason", .header = "why not", .optional = true}},
              {},
              {}};
  for (const VerifiedForecast& row : rows) {
    table.rows.push_back(
        {row.machine_type, row.settings, row.epochs > 0 ? Cell(row.epochs) : Cell(), row.forecast,
         cell_of(row.real),
         row.real ? Cell(Percentage{error_of({row.forecast, *row.real})}) : Cell(),
         row.real ? Cell(row.forecast.contains(*row.real)) : Cell(),
         row.forecast_cost ? Cell(row.forecast_cost->mid) : Cell(), cell_of(row.real_cost),
         row.accuracy ? Cell(Percentage{*row.accuracy}) : Cell(), row.reason});
  }
  const Verdicts verdicts = verdicts_of(rows);
  if (verdicts.errors.median) table.notes.push_back(describe(verdicts.errors));
  if (!rows.empty()) {
    const bool priced = std::any_of(rows.begin(), rows.end(),
                                    [](const VerifiedForecast& row) { return row.forecast_cost.has_value(); });
    table.notes.push_back(
        priced ? regret_note("cost", rows, cheapest_forecast(rows), verdicts.by_cost)
               : "regret by cost: not known: no candidate has a price");
    table.notes.push_back(regret_note("time", rows, fastest_forecast(rows), verdicts.by_time));
  }
  if (verdicts.errors.known < rows.size())
    table.notes.push_back(
        "not every candidate was run: the best may be one that was not; --all runs all");
  const std::string sentence = in_short(rows, verdicts, bill);
  if (!sentence.empty()) table.notes.push_back(sentence);
  return {table};
}

}  // namespace lapcast

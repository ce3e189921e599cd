#include "report/verify_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "choose/regret.h"
#include "core/units.h"

namespace lapcast {
namespace {

std::string name_of(const VerifiedForecast& row) {
  return row.settings.empty() ? row.machine_type : row.machine_type + " " + row.settings;
}

template <class Measure>
std::size_t lowest(const std::vector<VerifiedForecast>& rows, Measure measure) {
  const auto less = [&](const auto& a, const auto& b) { return measure(a) < measure(b); };
  return static_cast<std::size_t>(std::min_element(rows.begin(), rows.end(), less) - rows.begin());
}

std::size_t cheapest_forecast(const std::vector<VerifiedForecast>& rows) {
  return lowest(rows, [](const VerifiedForecast& row) {
    return row.forecast_cost ? row.forecast_cost->mid : Money::from_nanos(INT64_MAX);
  });
}

std::size_t fastest_forecast(const std::vector<VerifiedForecast>& rows) {
  return lowest(rows, [](const VerifiedForecast& row) { return row.forecast.mid; });
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

/// Returns the candidate that someone would take who reads only the price list: the lowest price
/// per hour, and among equal prices the lowest real cost, to be fair.
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

/// Returns "In short: ..."; empty when the pick was not run or has no price.
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

std::vector<ColumnOf<VerifiedForecast>> verify_columns() {
  const auto error = [](const VerifiedForecast& row) {
    return row.real ? Cell(Percentage{error_of({row.forecast, *row.real})}) : Cell();
  };
  const auto inside = [](const VerifiedForecast& row) {
    return row.real ? Cell(row.forecast.contains(*row.real)) : Cell();
  };
  const auto forecast_cost = [](const VerifiedForecast& row) {
    return row.forecast_cost ? Cell(row.forecast_cost->mid) : Cell();
  };
  return {{"machine_type", "machine", &VerifiedForecast::machine_type},
          {"settings", "settings", &VerifiedForecast::settings, {.optional = true}},
          {"epochs",
           "epochs",
           [](auto& r) { return r.epochs > 0 ? Cell(r.epochs) : Cell(); },
           {.optional = true, .spare = 3}},
          {"forecast_s", "forecast", &VerifiedForecast::forecast, {.bounds = true}},
          {"real_s", "real", &VerifiedForecast::real},
          {"error", "error", error},
          {"inside", "inside 95 %", inside},
          {"forecast_cost_usd", "forecast USD", forecast_cost, {.optional = true, .spare = 1}},
          {"real_cost_usd", "real USD", &VerifiedForecast::real_cost, {.optional = true}},
          {"accuracy",
           "accuracy",
           [](auto& r) { return share_cell(r.accuracy); },
           {.optional = true, .spare = 2}},
          {"reason", "why not", &VerifiedForecast::reason, {.optional = true}}};
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
  Table table = table_of("Forecast against real", verify_columns(), rows);
  const Verdicts verdicts = verdicts_of(rows);
  if (verdicts.errors.median) table.notes.push_back(describe(verdicts.errors));
  if (!rows.empty()) {
    const bool priced = std::any_of(rows.begin(), rows.end(), [](const VerifiedForecast& row) {
      return row.forecast_cost.has_value();
    });
    table.notes.push_back(priced
                              ? regret_note("cost", rows, cheapest_forecast(rows), verdicts.by_cost)
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

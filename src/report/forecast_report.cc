#include "report/forecast_report.h"

#include <fmt/format.h>

#include <variant>

#include "report/cells.h"
#include "report/epochs_report.h"
#include "report/forecast_errors.h"
#include "report/run_report.h"
#include "run/secrets.h"

namespace lapcast {
namespace {

std::optional<ForecastAndReal> pair_of(const ForecastRow& row) {
  if (!row.real || !row.assessment.forecast || !(row.real->count() > 0)) return std::nullopt;
  return ForecastAndReal{row.assessment.forecast->total, *row.real};
}

/// Returns a cell function of the forecast; empty where there is none.
template <class Value>
auto of_forecast(Value value) {
  return [value](const ForecastRow& row) {
    return row.assessment.forecast ? cell_of(value(row)) : Cell();
  };
}

/// Returns the reason why there is no forecast, or remarks on it.
std::string remark_of(const ForecastRow& row, std::span<const Offer> offers) {
  if (!row.assessment.forecast) return row.assessment.forecast.error().text;
  return with_reason(row.until ? verdict(*row.until) : "",
                     cost_cell(offer_of(*row.run, offers), row.assessment.forecast->total));
}

/// Returns the cost of the forecast: its interval where a training runs until a target, as that is
/// what is asked for, else its middle.
Cell forecast_cost(const ForecastRow& row, std::span<const Offer> offers) {
  const Cell cost = cost_cell(offer_of(*row.run, offers), row.assessment.forecast->total).cell;
  const auto* const bounds = std::get_if<Interval<Money>>(&cost);
  return bounds != nullptr && !row.until ? Cell(bounds->mid) : cost;
}

Cell real_cost(const ForecastRow& row, std::span<const Offer> offers) {
  const auto cost = row.real ? cost_of_time(*row.run, *row.real, offers) : because("");
  return cost ? Cell(*cost) : Cell();
}

std::vector<ColumnOf<ForecastRow>> forecast_columns(std::span<const Offer> offers) {
  const ColumnTraits optional{.optional = true};
  const auto plan = [](const ForecastRow& row) {
    return row.until ? Cell() : Cell(plan_text(*row.assessment.plan));
  };
  const auto error = [](const ForecastRow& row) {
    const auto pair = pair_of(row);
    return pair ? Cell(Percentage{error_of(*pair)}) : Cell();
  };
  const auto inside = [](const ForecastRow& row) {
    return row.real ? Cell(row.assessment.forecast->total.contains(*row.real)) : Cell();
  };
  return {
      {"run", "run", [](auto& r) { return r.run->context.id; }},
      {"program", "program", [](auto& r) { return shown_program(r.run->context); }},
      {"machine_type", "machine", [](auto& r) { return r.run->context.machine_type.name; }},
      {"settings", "settings", [](auto& r) { return settings_text(r.run->context); }, optional},
      {"plan", "plan", of_forecast(plan), optional},
      {"epochs", "epochs needed",
       of_forecast([](auto& r) { return r.until ? epochs_cell(*r.until) : Cell(); }), optional},
      {"chance_reached", "P(reached)", of_forecast([](auto& r) {
         return r.until ? Cell(Percentage{r.until->chance_reached}) : Cell();
       }),
       optional},
      {"laps", "from laps", of_forecast([](auto& r) { return r.assessment.profile->laps.size(); })},
      {"forecast_s",
       "forecast",
       of_forecast([](auto& r) { return r.assessment.forecast->total; }),
       {.bounds = true}},
      {"real_s", "real", of_forecast([](auto& r) { return r.real; }), optional},
      {"error", "error", of_forecast(error), optional},
      {"inside", "inside 95 %", of_forecast(inside), optional},
      {"forecast_cost_usd", "forecast USD",
       of_forecast([offers](auto& r) { return forecast_cost(r, offers); }), optional},
      {"real_cost_usd", "real USD", of_forecast([offers](auto& r) { return real_cost(r, offers); }),
       optional},
      {"reason", "why not", [offers](auto& r) { return text_cell(remark_of(r, offers)); },
       optional}};
}

ForecastErrors errors_of_rows(std::span<const ForecastRow> rows) {
  std::vector<ForecastAndReal> pairs;
  for (const ForecastRow& row : rows)
    if (const auto pair = pair_of(row)) pairs.push_back(*pair);
  return errors_of(pairs);
}

}  // namespace

std::vector<Table> forecast_tables(std::span<const ForecastRow> rows,
                                   std::span<const Offer> offers) {
  Table table = table_of("Forecasts", forecast_columns(offers), rows);
  for (const ForecastRow& row : rows) {
    if (!row.until || row.until->reached) continue;
    const auto notes = epochs_notes(*row.run, *row.until);
    table.notes.insert(table.notes.end(), notes.begin(), notes.end());
  }
  if (const std::string text = describe(errors_of_rows(rows)); !text.empty())
    table.notes.push_back(text);
  return {table};
}

}  // namespace lapcast

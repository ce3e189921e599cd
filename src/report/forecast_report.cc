#include "report/forecast_report.h"

#include <fmt/format.h>

#include "report/cost_cell.h"
#include "report/epochs_report.h"
#include "report/forecast_errors.h"
#include "report/run_report.h"
#include "report/table_cell.h"
#include "run/secrets.h"

namespace lapcast {
namespace {

std::optional<ForecastAndReal> pair_of(const ForecastRow& row) {
  if (!row.real || !row.assessment.forecast || !(row.real->count() > 0)) return std::nullopt;
  return ForecastAndReal{row.assessment.forecast->total, *row.real};
}

std::vector<Cell> cells_of(const ForecastRow& row, std::span<const Offer> offers) {
  const Run& run = *row.run;
  const Assessment& assessment = row.assessment;
  std::vector<Cell> cells{run.context.id, shown_program(run.context),
                          run.context.machine_type.name, settings_text(run.context)};
  if (!assessment.forecast) {
    cells.resize(cells.size() + 10);
    cells.emplace_back(assessment.forecast.error().text);
    return cells;
  }
  const Forecast& forecast = *assessment.forecast;
  const Offer* offer = offer_of(run, offers);
  const auto pair = pair_of(row);
  cells.push_back(row.until ? Cell() : Cell(plan_text(*assessment.plan)));
  cells.push_back(row.until ? epochs_cell(*row.until) : Cell());
  cells.push_back(row.until ? Cell(Percentage{row.until->chance_reached}) : Cell());
  cells.emplace_back(static_cast<std::int64_t>(assessment.profile->laps.size()));
  cells.emplace_back(forecast.total);
  cells.push_back(cell_of(row.real));
  cells.push_back(pair ? Cell(Percentage{error_of(*pair)}) : Cell());
  cells.push_back(row.real ? Cell(forecast.total.contains(*row.real)) : Cell());
  // Until a target the interval of the cost is what is asked for.
  const PricedCell cost = cost_cell(offer, forecast.total);
  const auto* const bounds = std::get_if<Interval<Money>>(&cost.cell);
  cells.push_back(bounds != nullptr && !row.until ? Cell(bounds->mid) : cost.cell);
  const auto real_cost = row.real ? cost_of_time(run, *row.real, offers) : because("");
  cells.push_back(real_cost ? Cell(*real_cost) : Cell());
  std::string remark = row.until ? verdict(*row.until) : "";
  if (!cost.why_not.empty())
    remark += (remark.empty() ? "no cost: " : "; no cost: ") + cost.why_not;
  cells.push_back(remark.empty() ? Cell() : Cell(remark));
  return cells;
}

ForecastErrors errors_of_rows(std::span<const ForecastRow> rows) {
  std::vector<ForecastAndReal> pairs;
  for (const ForecastRow& row : rows)
    if (const auto pair = pair_of(row)) pairs.push_back(*pair);
  return errors_of(pairs);
}

}  // namespace

std::vector<Table> forecast_tables(std::span<const ForecastRow> rows, std::span<const Offer> offers) {
  Table table{"Forecasts",
              {},
              {{"run", "run"},
               {"program", "program"},
               {"machine_type", "machine"},
               {.key = "settings", .header = "settings", .optional = true},
               {.key = "plan", .header = "plan", .optional = true},
               {.key = "epochs", .header = "epochs needed", .optional = true},
               {.key = "chance_reached", .header = "P(reached)", .optional = true},
               {"laps", "from laps"},
               {"forecast_s", "forecast", true},
               {.key = "real_s", .header = "real", .optional = true},
               {.key = "error", .header = "error", .optional = true},
               {.key = "inside", .header = "inside 95 %", .optional = true},
               {.key = "forecast_cost_usd", .header = "forecast USD", .optional = true},
               {.key = "real_cost_usd", .header = "real USD", .optional = true},
               {.key = "reason", .header = "why not", .optional = true}},
              {},
              {}};
  for (const ForecastRow& row : rows) {
    table.rows.push_back(cells_of(row, offers));
    if (!row.until || row.until->reached) continue;
    const auto notes = epochs_notes(*row.run, *row.until);
    table.notes.insert(table.notes.end(), notes.begin(), notes.end());
  }
  if (const std::string text = describe(errors_of_rows(rows)); !text.empty())
    table.notes.push_back(text);
  return {table};
}

}  // namespace lapcast

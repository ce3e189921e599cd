#include "report/forecast_report.h"

#include <fmt/format.h>

#include <cmath>

#include "core/units.h"
#include "report/run_report.h"
#include "stats/summary.h"

namespace lapcast {
namespace {

std::optional<double> error_of(const Foreseen& row) {
  if (!row.real || !row.assessment.forecast || !(row.real->count() > 0)) return std::nullopt;
  return row.assessment.forecast->total.mid / *row.real - 1.0;
}

template <class T>
Cell cell_of(const std::optional<T>& value) {
  return value ? Cell(*value) : Cell();
}

std::string words(const std::vector<std::string>& program) {
  std::string text;
  for (const std::string& word : program) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::vector<Cell> cells_of(const Foreseen& row, std::span<const Offer> offers) {
  const Run& run = *row.run;
  const Assessment& assessment = row.assessment;
  std::vector<Cell> cells{run.context.id, words(filled_program(run.context)),
                          run.context.machine_type.name, settings_text(run.context)};
  if (!assessment.forecast) {
    cells.resize(cells.size() + 8);
    cells.emplace_back(assessment.forecast.error().text);
    return cells;
  }
  const Forecast& forecast = *assessment.forecast;
  const Offer* offer = offer_of(run, offers);
  const auto error = error_of(row);
  cells.emplace_back(plan_text(*assessment.plan));
  cells.emplace_back(static_cast<std::int64_t>(assessment.profile->laps.size()));
  cells.emplace_back(forecast.total);
  cells.push_back(cell_of(row.real));
  cells.push_back(error ? Cell(Share{*error}) : Cell());
  cells.push_back(row.real ? Cell(forecast.total.contains(*row.real)) : Cell());
  cells.push_back(offer != nullptr ? Cell(quote(*offer, forecast.total).total.mid) : Cell());
  cells.push_back(row.real ? cell_of(cost_of_run(run, offers)) : Cell());
  cells.emplace_back();
  return cells;
}

std::string verdict(std::span<const Foreseen> rows) {
  std::vector<double> errors;
  std::size_t inside = 0;
  for (const Foreseen& row : rows) {
    const auto error = error_of(row);
    if (!error) continue;
    errors.push_back(std::abs(*error));
    inside += row.assessment.forecast->total.contains(*row.real) ? 1 : 0;
  }
  if (errors.empty()) return "";
  return fmt::format("median absolute error {}; {} of {} inside the interval",
                     format_share(median(errors)), inside, errors.size());
}

}  // namespace

std::vector<Table> forecast_tables(std::span<const Foreseen> rows, std::span<const Offer> offers) {
  Table table{"Forecasts",
              {},
              {{"run", "run"},
               {"program", "program"},
               {"machine_type", "machine"},
               {.key = "settings", .header = "settings", .optional = true},
               {.key = "plan", .header = "plan", .optional = true},
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
  for (const Foreseen& row : rows) table.rows.push_back(cells_of(row, offers));
  if (const std::string text = verdict(rows); !text.empty()) table.notes.push_back(text);
  return {table};
}

}  // namespace lapcast

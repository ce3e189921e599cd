#include "report/hindsight_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/units.h"
#include "forecast/live_forecast.h"

namespace lapcast {
namespace {

struct HindsightRow {
  std::optional<double> share;  // of the run's time; absent for the last forecast of a stopped run
  std::optional<ForecastMoment> forecast;
  std::optional<double> error;
  std::optional<bool> inside;
};

std::vector<HindsightRow> rows_of(const std::vector<Hindsight>& moments) {
  std::vector<HindsightRow> rows;
  for (const Hindsight& moment : moments) {
    rows.push_back({moment.share, moment.forecast, {}, {}});
    if (moment.forecast) rows.back().error = moment.error, rows.back().inside = moment.inside;
  }
  return rows;
}

std::vector<ColumnOf<HindsightRow>> hindsight_columns() {
  const auto elapsed = [](const HindsightRow& row) {
    return row.forecast ? Cell(row.forecast->elapsed) : Cell();
  };
  const auto total = [](const HindsightRow& row) {
    return row.forecast ? Cell(row.forecast->total) : Cell();
  };
  return {{"share", "at", [](auto& r) { return share_cell(r.share); }, {.optional = true}},
          {"elapsed_s", "after", elapsed},
          {"forecast_s", "forecast of the whole run", total, {.bounds = true}},
          {"error", "off by", [](auto& r) { return share_cell(r.error); }, {.optional = true}},
          {"inside", "inside 95 %", &HindsightRow::inside, {.optional = true}}};
}

std::string summary_of(const std::vector<Hindsight>& rows) {
  const auto known = std::count_if(rows.begin(), rows.end(),
                                   [](const Hindsight& row) { return row.forecast.has_value(); });
  const auto inside =
      std::count_if(rows.begin(), rows.end(), [](const Hindsight& row) { return row.inside; });
  return fmt::format("the 95 % interval held the real time in {} of {} of these forecasts", inside,
                     known);
}

}  // namespace

Table hindsight_table(const Run& run) {
  const std::string title = "How the forecast moved";
  if (!std::holds_alternative<outcome::Ended>(run.outcome)) {
    const std::vector<HindsightRow> last{{{}, run.forecasts.back(), {}, {}}};
    Table table = table_of(title, hindsight_columns(), last);
    table.notes.push_back(
        "the run did not end by itself: how long it would have taken is not known");
    return table;
  }
  const std::vector<Hindsight> rows = hindsight(run.forecasts, run.wall());
  Table table = table_of(title, hindsight_columns(), rows_of(rows));
  table.before.push_back("it really took " + format_duration(run.wall()));
  if (!rows.front().forecast && run.wall().count() > 0)
    table.notes.push_back(fmt::format("the first forecast came after {}, {} of the run",
                                      format_duration(run.forecasts.front().elapsed),
                                      format_share(run.forecasts.front().elapsed / run.wall())));
  table.notes.push_back(summary_of(rows));
  return table;
}

}  // namespace lapcast

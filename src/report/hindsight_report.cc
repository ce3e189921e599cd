#include "report/hindsight_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/units.h"
#include "forecast/hindsight.h"

namespace lapcast {
namespace {

std::vector<Cell> row_of(const Hindsight& row) {
  if (!row.forecast) return {Percentage{row.share}, {}, {}, {}, {}};
  return {Percentage{row.share}, row.forecast->elapsed, row.forecast->total, Percentage{row.error},
          row.inside};
}

std::string summary_of(const std::vector<Hindsight>& rows) {
  const auto known = std::count_if(rows.begin(), rows.end(),
                                   [](const Hindsight& row) { return row.forecast.has_value(); });
  const auto inside = std::count_if(rows.begin(), rows.end(),
                                    [](const Hindsight& row) { return row.inside; });
  return fmt::format("the 95 % interval held the real time in {} of {} of these forecasts", inside,
                     known);
}

void add_last(Table& table, const ForecastMoment& last) {
  table.rows.push_back({{}, last.elapsed, last.total, {}, {}});
  table.notes.push_back("the run did not end by itself: how long it would have taken is not known");
}

}  // namespace

Table hindsight_table(const Run& run) {
  Table table{"How the forecast moved",
              {},
              {{.key = "share", .header = "at", .optional = true},
               {"elapsed_s", "after"},
               {"forecast_s", "forecast of the whole run", true},
               {.key = "error", .header = "off by", .optional = true},
               {.key = "inside", .header = "inside 95 %", .optional = true}},
              {},
              {}};
  if (!std::holds_alternative<outcome::Ended>(run.outcome)) {
    add_last(table, run.forecasts.back());
    return table;
  }
  table.before.push_back("it really took " + format_duration(run.wall()));
  const std::vector<Hindsight> rows = hindsight(run.forecasts, run.wall());
  for (const Hindsight& row : rows) table.rows.push_back(row_of(row));
  if (!rows.front().forecast && run.wall().count() > 0)
    table.notes.push_back(fmt::format(
        "the first forecast came after {}, {} of the run",
        format_duration(run.forecasts.front().elapsed),
        format_share(run.forecasts.front().elapsed / run.wall())));
  table.notes.push_back(summary_of(rows));
  return table;
}

}  // namespace lapcast

#include "report/sweep_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "choose/assessment.h"
#include "core/units.h"
#include "report/cost_cell.h"

namespace lapcast {
namespace {

Cell time_or_nothing(Seconds time) {
  return time.count() > 0 ? Cell(time) : Cell();
}

/// Sending and setting up: what is not waiting for the machine.
Seconds other_preparation(const Run& run) {
  Seconds sum = -preparation_time(run, "queue");
  for (const PreparationStep& step : run.preparation) sum += step.time;
  return sum;
}

std::vector<Cell> row_of(const Run& run, const Assessment& assessment) {
  const RunContext& context = run.context;
  std::vector<Cell> row{context.machine_type.name, settings_text(context),
                        std::string(to_string(context.kind))};
  if (assessment.profile) {
    const LapProfile& profile = *assessment.profile;
    row.insert(row.end(),
               {profile.init, profile.first_lap, profile.steady.mean,
                static_cast<std::int64_t>(profile.laps.size()), profile.steady.samples_per_second});
  } else {
    row.resize(8);
  }
  row.push_back(assessment.forecast ? Cell(assessment.forecast->total) : Cell());
  const PricedCell cost = cost_cell(context.price, assessment.forecast);
  row.push_back(cost.cell);
  row.insert(row.end(), {context.place, time_or_nothing(preparation_time(run, "queue")),
                         time_or_nothing(other_preparation(run))});
  const std::string no_forecast =
      assessment.forecast ? "" : "; no forecast: " + assessment.forecast.error().text;
  row.push_back(describe(run.outcome) + (assessment.profile ? no_forecast : "") +
                (cost.why_not.empty() ? "" : "; no cost: " + cost.why_not));
  row.push_back(context.id);
  return row;
}

}  // namespace

Table sweep_table(std::span<const SweepRow> rows) {
  Table table{"Sweep",
              {},
              {{"machine_type", "machine"},
               {.key = "settings", .header = "settings", .optional = true},
               {.key = "kind", .header = "kind", .spare = 2},
               {.key = "init_s", .header = "init", .spare = 3},
               {.key = "first_lap_s", .header = "first lap", .spare = 5},
               {"lap_s", "steady lap", true},
               {.key = "laps", .header = "laps", .spare = 1},
               {.key = "samples_per_second", .header = "samples/s", .bounds = true, .spare = 4},
               {"time_s", "forecast", true},
               {.key = "cost_usd", .header = "cost USD", .bounds = true, .optional = true},
               {.key = "place", .header = "place", .optional = true, .spare = 6},
               {.key = "queue_s", .header = "queue", .optional = true},
               {.key = "set_up_s", .header = "set-up", .optional = true, .spare = 2},
               {"outcome", "outcome"},
               {"run", "run"}},
              {},
              {}};
  std::vector<const SweepRow*> sorted;
  for (const SweepRow& row : rows) sorted.push_back(&row);
  const auto name = [](const SweepRow* row) {
    const RunContext& context = row->run->context;
    return std::pair(context.machine_type.name, settings_text(context));
  };
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const SweepRow* a, const SweepRow* b) { return name(a) < name(b); });
  for (const SweepRow* row : sorted) table.rows.push_back(row_of(*row->run, row->assessment));
  return table;
}

}  // namespace lapcast

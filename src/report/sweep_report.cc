#include "report/sweep_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "choose/assessment.h"
#include "core/units.h"
#include "report/cost_cell.h"

namespace lapcast {
namespace {

Cell time_or_nothing(Seconds time) { return time.count() > 0 ? Cell(time) : Cell(); }

/// Sending and setting up: what is not waiting for the machine.
Seconds other_preparation(const Run& run) {
  Seconds sum = -preparation_time(run, "queue");
  for (const PreparationStep& step : run.preparation) sum += step.time;
  return sum;
}

std::vector<Cell> row_of(const Run& run) {
  const RunContext& context = run.context;
  const Assessment assessment = assess(run);
  std::vector<Cell> row{context.machine_type.name, settings_text(context),
                        std::string(to_string(context.kind))};
  if (assessment.profile) {
    const LapProfile& profile = *assessment.profile;
    row.insert(row.end(), {profile.init, profile.first_lap, profile.steady.mean,
                           static_cast<std::int64_t>(profile.laps.size()),
                           profile.steady.samples_per_second});
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

Table sweep_table(std::span<const Run> runs) {
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
  std::vector<const Run*> sorted;
  for (const Run& run : runs) sorted.push_back(&run);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Run* a, const Run* b) {
    return std::pair(a->context.machine_type.name, settings_text(a->context)) <
           std::pair(b->context.machine_type.name, settings_text(b->context));
  });
  for (const Run* run : sorted) table.rows.push_back(row_of(*run));
  return table;
}

}  // namespace lapcast

#include "report/sweep_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "choose/assessment.h"
#include "core/units.h"
#include "report/cells.h"

namespace lapcast {
namespace {

Cell time_or_nothing(Seconds time) {
  return time.count() > 0 ? Cell(time) : Cell();
}

/// Returns the time for sending and setting up: all preparation but waiting for the machine.
Seconds other_preparation(const Run& run) {
  Seconds sum = -preparation_time(run, "queue");
  for (const PreparationStep& step : run.preparation) sum += step.time;
  return sum;
}

PricedCell cost_of(const SweepRow& row) {
  return cost_cell(row.run->context.price, row.assessment.forecast);
}

std::string outcome_text(const SweepRow& row) {
  const Assessment& assessment = row.assessment;
  std::string text = describe(row.run->outcome);
  if (assessment.profile && !assessment.forecast)
    text += "; no forecast: " + assessment.forecast.error().text;
  return with_reason(std::move(text), cost_of(row));
}

std::vector<ColumnOf<SweepRow>> sweep_columns() {
  const auto of_profile = [](auto value) {
    return [value](const SweepRow& row) {
      return row.assessment.profile ? cell_of(value(*row.assessment.profile)) : Cell();
    };
  };
  const auto of_context = [](auto value) {
    return [value](const SweepRow& row) { return cell_of(value(row.run->context)); };
  };
  return {
      {"machine_type", "machine", of_context([](auto& c) { return c.machine_type.name; })},
      {"settings", "settings", of_context(settings_text), {.optional = true}},
      {"kind", "kind", of_context([](auto& c) { return to_string(c.kind); }), {.spare = 2}},
      {"init_s", "init", of_profile([](auto& p) { return p.init; }), {.spare = 3}},
      {"first_lap_s", "first lap", of_profile([](auto& p) { return p.first_lap; }), {.spare = 5}},
      {"lap_s", "steady lap", of_profile([](auto& p) { return p.steady.mean; }), {.bounds = true}},
      {"laps", "laps", of_profile([](auto& p) { return p.laps.size(); }), {.spare = 1}},
      {"samples_per_second",
       "samples/s",
       of_profile([](auto& p) { return p.steady.samples_per_second; }),
       {.bounds = true, .spare = 4}},
      {"time_s",
       "forecast",
       [](auto& r) {
         const auto& forecast = r.assessment.forecast;
         return forecast ? Cell(forecast->total) : Cell();
       },
       {.bounds = true}},
      {"cost_usd",
       "cost USD",
       [](auto& r) { return cost_of(r).cell; },
       {.bounds = true, .optional = true}},
      {"place",
       "place",
       of_context([](auto& c) { return c.place; }),
       {.optional = true, .spare = 6}},
      {"queue_s",
       "queue",
       [](auto& r) { return time_or_nothing(preparation_time(*r.run, "queue")); },
       {.optional = true}},
      {"set_up_s",
       "set-up",
       [](auto& r) { return time_or_nothing(other_preparation(*r.run)); },
       {.optional = true, .spare = 2}},
      {"outcome", "outcome", outcome_text},
      {"run", "run", of_context([](auto& c) { return c.id; })}};
}

}  // namespace

Table sweep_table(std::span<const SweepRow> rows) {
  std::vector<const SweepRow*> sorted;
  for (const SweepRow& row : rows) sorted.push_back(&row);
  const auto name = [](const SweepRow* row) {
    const RunContext& context = row->run->context;
    return std::pair(context.machine_type.name, settings_text(context));
  };
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const SweepRow* a, const SweepRow* b) { return name(a) < name(b); });
  const auto columns = sweep_columns();
  Table table = table_of("Sweep", columns, std::vector<SweepRow>{});
  for (const SweepRow* row : sorted) add_row(table, columns, *row);
  return table;
}

}  // namespace lapcast

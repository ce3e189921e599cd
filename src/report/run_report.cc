#include "report/run_report.h"

#include <fmt/format.h>

#include "core/units.h"
#include "report/cost_cell.h"
#include "report/effect_report.h"
#include "report/hindsight_report.h"
#include "run/secrets.h"

namespace lapcast {
namespace {

std::string on_what(const MachineType& type) {
  std::string text;
  if (!type.cpus.empty()) text += ", CPUs " + format_cpu_list(type.cpus);
  if (type.cpu_quota) text += fmt::format(", quota {}", format_share(*type.cpu_quota));
  for (const auto& [name, value] : type.environment)
    text += fmt::format(", {}={}", name, masked_value(name, value));
  return text;
}

std::string_view name_of(Provenance provenance) {
  switch (provenance) {
    case Provenance::measured:
      return "measured";
    case Provenance::simulated:
      return "simulated";
    case Provenance::predicted:
      return "assumed";
    case Provenance::declared:
      return "declared";
  }
  return "";
}

Table figures(const std::string& title) {
  return {
      title, {}, {{"figure", "figure"}, {"value", "value"}, {"how", "how it was found"}}, {}, {}};
}

void add(Table& table, std::string figure, Cell value, std::string how = {}) {
  table.rows.push_back({std::move(figure), std::move(value), std::move(how)});
}

Table about(const Run& run) {
  const RunContext& context = run.context;
  Table table = figures("Run " + context.id);
  add(table, "program", shown_program(context));
  add(table, "machine type", context.machine_type.name + on_what(context.machine_type),
      context.machine.cpu_model);
  if (!context.place.empty()) add(table, "place", context.place, context.machine.host);
  add(table, "outcome", describe(run.outcome));
  add(table, "kind", std::string(to_string(context.kind)), context.started_at);
  if (context.imported) table.notes.push_back("imported from a file: lapcast starts nothing of it");
  if (!context.imported_from.empty()) {
    add(table, "imported from", context.imported_from);
    add(table, "wall time", run.wall(), "as the log says");
    for (const std::string& warning : run.warnings) table.notes.push_back("warning: " + warning);
    return table;
  }
  for (const PreparationStep& step : run.preparation)
    add(table, "before: " + step.what, step.time,
        step.bytes > 0 ? format_bytes(step.bytes) + " sent" : "");
  add(table, "wall time", run.wall(), "start to end of the process");
  const double wall = run.wall().count();
  const double cpu = (run.usage.user + run.usage.system).count();
  if (wall > 0)
    add(table, "CPUs used", Number{cpu / wall, 2},
        fmt::format("{} user, {} system", format_duration(run.usage.user),
                    format_duration(run.usage.system)));
  add(table, "peak memory", format_bytes(run.usage.peak_rss_bytes), "of the largest process");
  const LapLog log = laps_of(run);
  if (log.device_memory_bytes > 0)
    add(table, "peak device memory", format_bytes(log.device_memory_bytes),
        "reported by the program");
  for (const std::string& warning : run.warnings) table.notes.push_back("warning: " + warning);
  for (const std::string& note : log.notes) table.notes.push_back("warning: " + note);
  return table;
}

Table lap_table(const LapProfile& profile) {
  Table table = figures("Laps");
  const SteadyLaps& steady = profile.steady;
  add(table, "init", profile.init,
      std::string(to_string(profile.start)) + " start: process start to first iteration");
  add(table, "first lap", profile.first_lap);
  add(table, "warm-up", steady.warm_up_laps, steady.why);
  add(table, "steady lap (median)", steady.median, fmt::format("{} laps", steady.laps));
  add(table, "steady lap (mean)", steady.mean,
      fmt::format("worth {:.0f} independent laps; {} stalls kept out", steady.effective_laps,
                  steady.stalls));
  add(table, "samples per second", steady.samples_per_second,
      fmt::format("{:.0f} samples a lap", steady.samples_per_lap));
  if (profile.validation)
    add(table, "validation", profile.validation->later,
        fmt::format("{} samples; {}", profile.validation->samples, profile.validation->why));
  if (profile.epoch_overhead) add(table, "between epochs", *profile.epoch_overhead, "measured");
  if (profile.checkpoint) add(table, "checkpoint", *profile.checkpoint, "measured");
  for (const std::string& note : profile.notes) table.notes.push_back(note);
  return table;
}

Table forecast_table(const Run& run, const Assessment& assessment) {
  const Forecast& forecast = *assessment.forecast;
  Table table{"Forecast: " + plan_text(*assessment.plan),
              {},
              {{"part", "part"},
               {"time_s", "time", true},
               {.key = "cost_usd", .header = "cost USD", .bounds = true, .optional = true},
               {"share", "share"},
               {"how", "how"}},
              {},
              {}};
  for (const ForecastPart& part : forecast.parts)
    table.rows.push_back({part.name, part.time, std::monostate{},
                          Percentage{part.time.mid / std::max(forecast.total.mid, Seconds{1e-12})},
                          std::string(name_of(part.provenance))});
  std::string how = fmt::format("95 %; runs differ by {} among themselves",
                                format_share(forecast.spread_between_runs));
  const PricedCell cost = cost_cell(run.context.price, assessment.forecast);
  if (!cost.why_not.empty()) table.notes.push_back("no cost: " + cost.why_not);
  if (const auto& price = run.context.price) {
    table.notes.push_back(fmt::format("price: {} USD/h, {}, as of {}",
                                      rounded_decimal(price->price.per_hour), price->source,
                                      price->as_of));
  }
  if (!forecast.record.empty()) table.notes.push_back(forecast.record);
  table.rows.push_back({std::string("total"), forecast.total, cost.cell, Percentage{1.0}, how});
  return table;
}

Table method_table(const Assessment& assessment, const LapProfile& profile) {
  Table table{"Forecasts by the papers' methods",
              {},
              {{"method", "method"}, {"time_s", "time"}, {"reason", "why not"}},
              {},
              {}};
  for (const Method method : kAllMethods) {
    const Result<Forecast> result = forecast(profile, *assessment.plan, method);
    if (result)
      table.rows.push_back({std::string(to_string(method)), result->total, std::monostate{}});
    else
      table.rows.push_back({std::string(to_string(method)), std::monostate{}, result.error().text});
  }
  return table;
}

Table raw_lap_table(const Run& run) {
  Table table{"Raw laps",
              {},
              {{"lap", "lap"},
               {"epoch", "epoch"},
               {"begin_s", "begin"},
               {"lap_s", "lap time"},
               {"samples", "samples"},
               {"phase", "phase"},
               {"finished", "finished"}},
              {},
              {}};
  const LapLog log = laps_of(run);
  for (const Lap& lap : log.laps)
    table.rows.push_back({lap.index, std::int64_t{lap.epoch}, from_ns(lap.begin_ns), lap.seconds(),
                          std::int64_t{lap.samples},
                          log.phases[static_cast<std::size_t>(lap.phase)], lap.finished});
  if (log.damage && log.damage->lines > 0)
    table.notes.push_back(fmt::format("{} damaged lines, the first at byte {}: {}",
                                      log.damage->lines, log.damage->first_offset,
                                      log.damage->what));
  return table;
}

Table output_table(const std::string& title, const std::string& text) {
  Table table{title, {}, {{"line", "line"}}, {}, {}};
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    table.rows.push_back({text.substr(begin, end - begin)});
    begin = end + 1;
  }
  return table;
}

}  // namespace

std::string plan_text(const TrainingPlan& plan) {
  std::string text = plan.epochs > 0 ? fmt::format("{} epochs", plan.epochs)
                                     : fmt::format("{} iterations", plan.steps);
  if (plan.training_samples > 0) text += fmt::format(" of {} samples", plan.training_samples);
  if (plan.validation_samples > 0)
    text += fmt::format(", each validated on {}", plan.validation_samples);
  return text;
}

std::vector<Table> run_tables(const Run& run, const Assessment& assessment,
                              const RunReportOptions& options) {
  std::vector<Table> tables{about(run)};
  if (assessment.profile) {
    tables.push_back(lap_table(*assessment.profile));
    if (Table effects = effect_table(assessment); !effects.rows.empty())
      tables.push_back(std::move(effects));
  }
  if (assessment.forecast)
    tables.push_back(forecast_table(run, assessment));
  else
    tables.back().notes.push_back("no forecast: " + assessment.forecast.error().text);
  if (!run.forecasts.empty()) tables.push_back(hindsight_table(run));
  if (options.methods && assessment.plan)
    tables.push_back(method_table(assessment, *assessment.profile));
  if (options.raw_laps) tables.push_back(raw_lap_table(run));
  if (options.output) {
    tables.push_back(output_table("Standard output", run.standard_output));
    tables.push_back(output_table("Standard error", run.standard_error));
  }
  return tables;
}

}  // namespace lapcast

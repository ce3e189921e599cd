#include "report/run_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/units.h"
#include "forecast/effects.h"
#include "report/cells.h"
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

class FigureList {
 public:
  void add(std::string name, Cell value, std::string how = {}) {
    list_.push_back({std::move(name), std::move(value), std::move(how)});
  }
  Table table(std::string title) const { return figure_table(std::move(title), list_); }

 private:
  std::vector<Figure> list_;
};

void add_warnings(Table& table, const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) table.notes.push_back("warning: " + warning);
}

void add_usage(FigureList& figures, const Run& run) {
  const double wall = run.wall().count();
  const double cpu = (run.usage.user + run.usage.system).count();
  if (wall > 0)
    figures.add("CPUs used", Number{cpu / wall, 2},
                fmt::format("{} user, {} system", format_duration(run.usage.user),
                            format_duration(run.usage.system)));
  figures.add("peak memory", format_bytes(run.usage.peak_rss_bytes), "of the largest process");
}

Table about(const Run& run) {
  const RunContext& context = run.context;
  FigureList figures;
  figures.add("program", shown_program(context));
  figures.add("machine type", context.machine_type.name + on_what(context.machine_type),
              context.machine.cpu_model);
  if (!context.place.empty()) figures.add("place", context.place, context.machine.host);
  figures.add("outcome", describe(run.outcome));
  figures.add("kind", std::string(to_string(context.kind)), context.started_at);
  LapLog log;
  if (context.imported_from.empty()) {
    for (const PreparationStep& step : run.preparation)
      figures.add("before: " + step.what, step.time,
                  step.bytes > 0 ? format_bytes(step.bytes) + " sent" : "");
    figures.add("wall time", run.wall(), "start to end of the process");
    add_usage(figures, run);
    log = laps_of(run);
    if (log.device_memory_bytes > 0)
      figures.add("peak device memory", format_bytes(log.device_memory_bytes),
                  "reported by the program");
  } else {
    figures.add("imported from", context.imported_from);
    figures.add("wall time", run.wall(), "as the log says");
  }
  Table table = figures.table("Run " + context.id);
  if (context.imported) table.notes.push_back("imported from a file: lapcast starts nothing of it");
  add_warnings(table, run.warnings);
  add_warnings(table, log.notes);
  return table;
}

Table lap_table(const LapProfile& profile) {
  FigureList figures;
  const SteadyLaps& steady = profile.steady;
  figures.add("init", profile.init,
              std::string(to_string(profile.start)) + " start: process start to first iteration");
  figures.add("first lap", profile.first_lap);
  figures.add("warm-up", steady.warm_up_laps, steady.why);
  figures.add("steady lap (median)", steady.median, fmt::format("{} laps", steady.laps));
  figures.add("steady lap (mean)", steady.mean,
              fmt::format("worth {:.0f} independent laps; {} stalls kept out",
                          steady.effective_laps, steady.stalls));
  figures.add("samples per second", steady.samples_per_second,
              fmt::format("{:.0f} samples a lap", steady.samples_per_lap));
  if (profile.validation)
    figures.add(
        "validation", profile.validation->later,
        fmt::format("{} samples; {}", profile.validation->samples, profile.validation->why));
  if (profile.epoch_overhead) figures.add("between epochs", *profile.epoch_overhead, "measured");
  if (profile.checkpoint) figures.add("checkpoint", *profile.checkpoint, "measured");
  Table table = figures.table("Laps");
  table.notes = profile.notes;
  return table;
}

/// Returns what was noticed in a run: each effect in plain words, its time, its share of what was
/// seen, and what the forecast makes of it. There are no rows when nothing was noticed.
Table effect_table(const Assessment& assessment) {
  std::vector<Effect> effects;
  if (assessment.forecast)
    if (auto start = start_up_effect(*assessment.profile, *assessment.forecast))
      effects.push_back(std::move(*start));
  effects.insert(effects.end(), assessment.profile->effects.begin(),
                 assessment.profile->effects.end());
  return table_of<Effect>("Effects",
                          {{"effect", "effect", [](auto& r) { return facts_of(r.kind).name; }},
                           {"what", "what was seen", &Effect::what},
                           {"time_s", "time", &Effect::time},
                           {"share", "share", [](auto& r) { return Percentage{r.share}; }},
                           {"forecast", "in the forecast", &Effect::forecast}},
                          effects);
}

Table forecast_table(const Run& run, const Assessment& assessment) {
  const Forecast& forecast = *assessment.forecast;
  struct PartRow {
    std::string name;
    Interval<Seconds> time;
    Cell cost;
    double share;
    std::string how;
  };
  std::vector<PartRow> rows;
  for (const ForecastPart& part : forecast.parts)
    rows.push_back({std::string(facts_of(part.kind).name),
                    part.time,
                    {},
                    part.time.mid / std::max(forecast.total.mid, Seconds{1e-12}),
                    std::string(name_of(part.provenance))});
  const PricedCell cost = cost_cell(run.context.price, assessment.forecast);
  rows.push_back({"total", forecast.total, cost.cell, 1,
                  fmt::format("95 %; runs differ by {} among themselves",
                              format_share(forecast.spread_between_runs))});
  Table table = table_of<PartRow>(
      "Forecast: " + plan_text(*assessment.plan),
      {{"part", "part", &PartRow::name},
       {"time_s", "time", &PartRow::time, {.bounds = true}},
       {"cost_usd", "cost USD", &PartRow::cost, {.bounds = true, .optional = true}},
       {"share", "share", [](auto& r) { return Percentage{r.share}; }},
       {"how", "how", &PartRow::how}},
      rows);
  if (!cost.why_not.empty()) table.notes.push_back("no cost: " + cost.why_not);
  if (const auto& price = run.context.price) {
    table.notes.push_back(fmt::format("price: {} USD/h, {}, as of {}",
                                      rounded_decimal(price->price.per_hour), price->source,
                                      price->as_of));
  }
  if (!forecast.record.empty()) table.notes.push_back(forecast.record);
  return table;
}

Table method_table(const Assessment& assessment, const LapProfile& profile) {
  struct MethodRow {
    Method method;
    Result<Forecast> forecast;
  };
  std::vector<MethodRow> rows;
  for (const Method method : kAllMethods)
    rows.push_back({method, forecast(profile, *assessment.plan, method)});
  return table_of<MethodRow>(
      "Forecasts by the papers' methods",
      {{"method", "method", [](auto& r) { return to_string(r.method); }},
       {"time_s", "time", [](auto& r) { return r.forecast ? Cell(r.forecast->total) : Cell(); }},
       {"reason", "why not",
        [](auto& r) { return r.forecast ? Cell() : Cell(r.forecast.error().text); }}},
      rows);
}

Table raw_lap_table(const Run& run) {
  const LapLog log = laps_of(run);
  Table table = table_of<Lap>(
      "Raw laps",
      {{"lap", "lap", &Lap::index},
       {"epoch", "epoch", &Lap::epoch},
       {"begin_s", "begin", [](auto& r) { return from_ns(r.begin_ns); }},
       {"lap_s", "lap time", &Lap::seconds},
       {"samples", "samples", &Lap::samples},
       {"phase", "phase", [&](auto& r) { return log.phases[static_cast<std::size_t>(r.phase)]; }},
       {"finished", "finished", &Lap::finished}},
      log.laps);
  if (log.damage && log.damage->lines > 0)
    table.notes.push_back(fmt::format("{} damaged lines, the first at byte {}: {}",
                                      log.damage->lines, log.damage->first_offset,
                                      log.damage->what));
  return table;
}

Table output_table(const std::string& title, const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return table_of<std::string>(title, {{"line", "line", [](auto& line) { return line; }}}, lines);
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

#include "report/run_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/units.h"
#include "forecast/disturbance.h"
#include "forecast/effect.h"
#include "forecast/live_forecast.h"
#include "report/cells.h"
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

/// Returns how a part of a forecast was found, for people.
std::string name_of(Provenance provenance) {
  // The names are in the order of Provenance.
  constexpr const char* kNames[] = {"measured", "simulated", "assumed", "declared"};
  return kNames[static_cast<std::size_t>(provenance)];
}

using Figures = std::vector<Figure>;

void add_warnings(Table& table, const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) table.notes.push_back("warning: " + warning);
}

/// Adds what others used of the machine, and what that cost the program.
void add_others(Figures& figures, const std::optional<Disturbance>& others) {
  if (others && others->covered.count() > 0) {
    figures.push_back({"others used", Number{others->others_cpus, 2},
                       fmt::format("of the program's {:.0f} CPUs", others->cpus)});
    figures.push_back(
        {"lost to others", others->covered * others->lost_share,
         fmt::format("{} of the time that was looked at", format_share(others->lost_share))});
  }
  if (others && others->gpu_shared > 0)
    figures.push_back({"GPU used by others too", format_share(others->gpu_shared), "of the time"});
  if (others && others->gpu_slowed > 0)
    figures.push_back(
        {"GPU slowed by heat or power", format_share(others->gpu_slowed), "of the time"});
}

/// Adds what was measured of a run that lapcast itself started, and what its program reported.
void add_measured(Figures& figures, const Run& run, const LapLog& log) {
  for (const PreparationStep& step : run.preparation)
    figures.push_back({"before: " + step.what, step.time,
                       step.bytes > 0 ? format_bytes(step.bytes) + " sent" : ""});
  const Seconds wall = run.wall();
  const Usage& usage = run.usage;
  figures.push_back({"wall time", wall, "start to end of the process"});
  if (wall.count() > 0)
    figures.push_back({"CPUs used", Number{(usage.user + usage.system) / wall, 2},
                       fmt::format("{} user, {} system", format_duration(usage.user),
                                   format_duration(usage.system))});
  add_others(figures, disturbance_of(log.loads));
  figures.push_back({"peak memory", format_bytes(usage.peak_rss_bytes), "of the largest process"});
  if (log.device_memory_bytes > 0)
    figures.push_back(
        {"peak device memory", format_bytes(log.device_memory_bytes), "reported by the program"});
}

Table about(const Run& run) {
  const RunContext& context = run.context;
  Figures figures{{"program", shown_program(context)},
                  {"machine type", context.machine_type.name + on_what(context.machine_type),
                   context.machine.cpu_model}};
  if (!context.place.empty()) figures.push_back({"place", context.place, context.machine.host});
  figures.push_back({"outcome", describe(run.outcome)});
  figures.push_back({"kind", cell_of(to_string(context.kind)), context.started_at});
  LapLog log;
  if (context.imported_from.empty()) {
    log = laps_of(run);
    add_measured(figures, run, log);
  } else {
    figures.push_back({"imported from", context.imported_from});
    figures.push_back({"wall time", run.wall(), "as the log says"});
  }
  Table table = figure_table("Run " + context.id, figures);
  if (context.imported) table.notes.push_back("imported from a file: lapcast starts nothing of it");
  add_warnings(table, run.warnings);
  add_warnings(table, log.notes);
  return table;
}

Table lap_table(const LapProfile& profile) {
  const SteadyLaps& steady = profile.steady;
  Figures figures{
      {"init", profile.init,
       fmt::format("{} start: process start to first iteration", to_string(profile.start))},
      {"first lap", profile.first_lap},
      {"warm-up", cell_of(steady.warm_up_laps), steady.why},
      {"steady lap (median)", steady.median, fmt::format("{} laps", steady.laps)},
      {"steady lap (mean)", steady.mean,
       fmt::format("worth {:.0f} independent laps; {} stalls kept out", steady.effective_laps,
                   steady.stalls)},
      {"samples per second", steady.samples_per_second,
       fmt::format("{:.0f} samples a lap", steady.samples_per_lap)}};
  if (profile.validation)
    figures.push_back(
        {"validation", profile.validation->later,
         fmt::format("{} samples; {}", profile.validation->samples, profile.validation->why)});
  if (profile.epoch_overhead)
    figures.push_back({"between epochs", *profile.epoch_overhead, "measured"});
  if (profile.checkpoint) figures.push_back({"checkpoint", *profile.checkpoint, "measured"});
  Table table = figure_table("Laps", figures);
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

/// Says how long the training takes without the work of others, where that differs by more than 3
/// %, or why this is not known although others disturbed the run.
std::string undisturbed_note(const Run& run, const Assessment& assessment,
                             const RunReportOptions& options) {
  constexpr double kWorthSaying = 0.03;
  if (assessment.conditions == Conditions::undisturbed)
    return "all of this is for an undisturbed machine; `lapcast rank --conditions as-measured` "
           "counts the work of others too";
  const auto others = disturbance_of(laps_of(run).loads);
  if (!options.undisturbed || !others || describe(*others).empty()) return {};
  const Result<Forecast> undisturbed = options.undisturbed();
  if (!undisturbed) return "no forecast for an undisturbed machine: " + undisturbed.error().text;
  const Interval<Seconds>& total = undisturbed->total;
  const double ratio = total.mid / assessment.forecast->total.mid;
  if (std::abs(ratio - 1) <= kWorthSaying) return {};
  return fmt::format("undisturbed by others: {} ({} to {}), {} less", format_duration(total.mid),
                     format_duration(total.low), format_duration(total.high),
                     format_share(1 - ratio));
}

Table forecast_table(const Run& run, const Assessment& assessment,
                     const RunReportOptions& options) {
  struct PartRow {
    std::string name;
    Interval<Seconds> time;
    double share;
    std::string how;
    Cell cost = {};
  };
  const Forecast& forecast = *assessment.forecast;
  const Seconds total = std::max(forecast.total.mid, Seconds{1e-12});
  std::vector<PartRow> rows;
  for (const ForecastPart& part : forecast.parts)
    rows.push_back({std::string(facts_of(part.kind).name), part.time, part.time.mid / total,
                    name_of(part.provenance)});
  const PricedCell cost = cost_cell(run.context.price, assessment.forecast);
  rows.push_back({"total", forecast.total, 1,
                  fmt::format("95 %; runs differ by {} among themselves",
                              format_share(forecast.spread_between_runs)),
                  cost.cell});
  Table table = table_of<PartRow>("Forecast: " + plan_text(*assessment.plan),
                                  {{"part", "part", &PartRow::name},
                                   {"time_s", "time", &PartRow::time, kBounds},
                                   {"cost_usd", "cost USD", &PartRow::cost, kBounds | kOptional},
                                   {"share", "share", [](auto& r) { return Percentage{r.share}; }},
                                   {"how", "how", &PartRow::how}},
                                  rows);
  if (const std::string& from = assessment.plan->length_from; !from.empty())
    table.notes.push_back(
        fmt::format("the length is from {}; --epochs N or --steps N says otherwise", from));
  if (!cost.why_not.empty()) table.notes.push_back("no cost: " + cost.why_not);
  if (const auto& price = run.context.price)
    table.notes.push_back(fmt::format("price: {} USD/h, {}, as of {}",
                                      rounded_decimal(price->price.per_hour), price->source,
                                      price->as_of));
  if (!forecast.record.empty()) table.notes.push_back(forecast.record);
  if (std::string note = undisturbed_note(run, assessment, options); !note.empty())
    table.notes.push_back(std::move(note));
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
       {"time_s", "time", [](auto& r) { return cell_if(r.forecast, &Forecast::total); }},
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

/// Returns the columns of hindsight_table(); those that compare with the real time are empty where
/// it is not known.
std::vector<ColumnOf<Hindsight>> hindsight_columns(bool real_is_known) {
  const auto compared = [real_is_known](auto value) {
    return [=](const Hindsight& row) {
      return real_is_known && row.forecast ? cell_of(value(row)) : Cell();
    };
  };
  const auto share = [real_is_known](const Hindsight& row) {
    return real_is_known ? Cell(Percentage{row.share}) : Cell();
  };
  return {
      {"share", "at", share, kOptional},
      {"elapsed_s", "after", [](auto& r) { return cell_if(r.forecast, &ForecastMoment::elapsed); }},
      {"forecast_s", "forecast of the whole run",
       [](auto& r) { return cell_if(r.forecast, &ForecastMoment::total); }, kBounds},
      {"error", "off by", compared([](auto& r) { return Percentage{r.error}; }), kOptional},
      {"inside", "inside 95 %", compared([](auto& r) { return r.inside; }), kOptional}};
}

std::string summary_of(const std::vector<Hindsight>& rows) {
  const auto known =
      std::ranges::count_if(rows, [](auto& row) { return row.forecast.has_value(); });
  const auto inside = std::ranges::count_if(rows, &Hindsight::inside);
  return fmt::format("the 95 % interval held the real time in {} of {} of these forecasts", inside,
                     known);
}

/// Returns how the forecast of a watched run moved, compared with the time that it really took; for
/// a run that did not end by itself, the last forecast.
Table hindsight_table(const Run& run) {
  const std::string title = "How the forecast moved";
  if (!std::holds_alternative<outcome::Ended>(run.outcome)) {
    const std::vector<Hindsight> last{{.forecast = run.forecasts.back()}};
    Table table = table_of(title, hindsight_columns(false), last);
    table.notes.push_back(
        "the run did not end by itself: how long it would have taken is not known");
    return table;
  }
  const std::vector<Hindsight> rows = hindsight(run.forecasts, run.wall());
  Table table = table_of(title, hindsight_columns(true), rows);
  table.before.push_back("it really took " + format_duration(run.wall()));
  if (!rows.front().forecast && run.wall().count() > 0)
    table.notes.push_back(fmt::format("the first forecast came after {}, {} of the run",
                                      format_duration(run.forecasts.front().elapsed),
                                      format_share(run.forecasts.front().elapsed / run.wall())));
  table.notes.push_back(summary_of(rows));
  return table;
}

}  // namespace

std::string plan_text(const TrainingPlan& plan) {
  std::string text = plan.epochs > 0
                         ? fmt::format("{} epoch{}", plan.epochs, plan.epochs == 1 ? "" : "s")
                         : fmt::format("{} iteration{}", plan.steps, plan.steps == 1 ? "" : "s");
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
    tables.push_back(forecast_table(run, assessment, options));
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

#include "report/run_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/units.h"
#include "forecast/disturbance.h"
#include "forecast/effect.h"
#include "forecast/effect_search.h"
#include "forecast/gpu_use.h"
#include "forecast/worker_processes.h"
#include "history/known_time.h"
#include "history/live_forecast.h"
#include "history/time_by_epochs.h"
#include "report/answer.h"
#include "report/cells.h"
#include "report/gpu_report.h"
#include "report/plan_text.h"
#include "report/run_figures.h"
#include "run/secrets.h"
#include "stats/intervals.h"

namespace lapcast {
namespace {

/// Returns the source of a part of a forecast as people read it.
std::string name_of(Provenance provenance) {
  // The names are in the order of Provenance.
  constexpr const char* kNames[] = {"measured", "simulated", "assumed", "declared", "not seen"};
  return kNames[static_cast<std::size_t>(provenance)];
}

/// Returns the effects found in a run: each in plain words, with its time, its share of the
/// observed time, and its use in the forecast. There are no rows if nothing was found. For effects
/// that made the run shorter, people see only words, not figures.
Table effect_table(const Assessment& assessment) {
  std::vector<Effect> effects;
  if (assessment.forecast)
    if (auto start = start_up_effect(*assessment.profile, *assessment.forecast))
      effects.push_back(std::move(*start));
  effects.insert(effects.end(), assessment.profile->effects.begin(),
                 assessment.profile->effects.end());
  const auto if_longer = [](auto value) {
    return [value](const Effect& effect) {
      return effect.time.count() < 0 ? Cell() : cell_of(value(effect));
    };
  };
  const auto time = [](const Effect& effect) { return effect.time; };
  const auto share = [](const Effect& effect) { return Percentage{effect.share}; };
  return table_of<Effect>("effects", "Effects",
                          {{"effect", "effect", [](auto& r) { return facts_of(r.kind).name; }},
                           {"what", "what was seen", &Effect::what},
                           {"time_s", "", time},
                           {"", "time", if_longer(time)},
                           {"share", "", share},
                           {"", "share", if_longer(share)},
                           {"forecast", "in the forecast", &Effect::forecast}},
                          effects);
}

/// Adds the use of GPUs if it was sampled, their configuration if it is known, and the power.
void add_gpus(std::vector<Table>& tables, const Run& run, const Assessment& assessment,
              bool ascii) {
  const auto log = laps_of(run);
  const std::string idle = assessment.profile ? assessment.profile->idle_gpus : "";
  if (!log->gpus.empty()) tables.push_back(gpu_table(use_in_training(*log), idle, ascii));
  for (const Table& table : {gpu_set_up_table(run.context.machine), power_table(*log)})
    if (!table.rows.empty()) tables.push_back(table);
}

/// Returns how long the training takes without the load of others, if that differs by more than 3
/// %, or why this is not known although others disturbed the run.
std::string undisturbed_note(const Run& run, const Assessment& assessment,
                             const RunReportOptions& options) {
  constexpr double kWorthSaying = 0.03;
  if (assessment.conditions == Conditions::undisturbed)
    return "all of this is for an undisturbed machine; `lapcast rank --conditions as-measured` "
           "counts the work of others too";
  const auto others = disturbance_of(laps_of(run)->loads);
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

/// Adds the sources of the length and the price, and other notes on a forecast.
void add_notes(Table& table, const Run& run, const Assessment& assessment,
               const std::string& why_no_cost, const RunReportOptions& options) {
  if (const std::string& from = assessment.plan->from; !from.empty())
    table.after.push_back(
        fmt::format("the length is from {}; --epochs N or --steps N says otherwise", from));
  if (const auto whole = text_of_whole(run, assessment)) table.after.push_back(*whole);
  if (!why_no_cost.empty()) table.after.push_back("no cost: " + why_no_cost);
  if (const auto& price = run.context.price)
    table.after.push_back(fmt::format("price: {}/h, {}, as of {}",
                                      dollar_text(price->price.per_hour), price->source,
                                      price->as_of));
  if (!assessment.forecast->record.empty()) table.notes.push_back(assessment.forecast->record);
  if (std::string note = workers_note(run, assessment); !note.empty())
    table.notes.push_back(std::move(note));
  if (std::string note = undisturbed_note(run, assessment, options); !note.empty())
    table.notes.push_back(std::move(note));
}

Table forecast_table(const Run& run, const Assessment& assessment,
                     const RunReportOptions& options) {
  struct PartRow {
    std::string name;
    Interval<Seconds> time;
    double share;          // of the total
    Cell provenance = {};  // for JSON
    std::string how;       // for people
    Cell cost = {};
  };
  const Forecast& forecast = *assessment.forecast;
  const Seconds total = std::max(forecast.total.mid, Seconds{1e-12});
  const bool is_known = known_time(run, assessment).has_value();
  std::vector<PartRow> rows;
  for (const ForecastPart& part : shown_parts(forecast))
    rows.push_back({std::string(facts_of(part.kind).name), part.time, part.time.mid / total,
                    name_of(part.provenance), name_of(part.provenance)});
  const PricedCell cost = cost_cell(run.context.price, assessment.forecast);
  rows.push_back(
      {"total",
       forecast.total,
       1,
       {},
       fmt::format("{}; runs differ by {} among themselves", is_known ? "as it took" : "95 %",
                   format_share(forecast.spread_between_runs)),
       cost.cell});
  Table table =
      table_of<PartRow>("parts", (is_known ? "Time: " : "Forecast: ") + plan_text(*assessment.plan),
                        {{"part", "part", &PartRow::name},
                         {"time_s", "time", &PartRow::time, kBounds},
                         {"cost_usd", "cost", &PartRow::cost, kBounds | kOptional},
                         {"share", "share", [](auto& r) { return Percentage{r.share}; }},
                         {"how", "", &PartRow::provenance},
                         {"", "how", &PartRow::how}},
                        rows);
  add_notes(table, run, assessment, cost.why_not, options);
  return table;
}

/// Returns the whole forecast for JSON, or why there is none.
Table forecast_record(const Run& run, const Assessment& assessment) {
  const PricedCell cost = cost_cell(run.context.price, assessment.forecast);
  const auto& forecast = assessment.forecast;
  const auto planned = [&](auto member) {
    const std::int64_t number = assessment.plan ? std::invoke(member, *assessment.plan) : 0;
    return number > 0 ? cell_of(number) : Cell();
  };
  const auto of_price = [&](auto value) { return cell_if(run.context.price, value); };
  return json_record(
      "forecast",
      {{"time_s", "", cell_if(forecast, &Forecast::total)},
       {"cost_usd", "", cost.cell},
       {"reason", "", text_cell(forecast ? cost.why_not : forecast.error().text)},
       {"epochs", "", planned([](auto& p) { return p.epochs - p.epochs_done; })},
       {"steps", "", planned([](auto& p) { return p.steps > 0 ? p.steps - p.laps_done : 0; })},
       {"epochs_done", "", planned(&TrainingPlan::epochs_done)},
       {"laps_done", "", planned(&TrainingPlan::laps_done)},
       {"whole_time_s", "", cell_of(time_of_whole(assessment))},
       {"training_samples", "", planned(&TrainingPlan::training_samples)},
       {"validation_samples", "", planned(&TrainingPlan::validation_samples)},
       {"length_from", "", text_cell(assessment.plan ? assessment.plan->from : "")},
       {"spread_between_runs", "",
        cell_if(forecast, [](auto& made) { return Percentage{made.spread_between_runs}; })},
       {"conditions", "", cell_of(to_string(assessment.conditions))},
       {"price_usd_per_hour", "", of_price([](auto& offer) { return offer.price.per_hour; })},
       {"price_as_of", "", of_price([](auto& offer) { return offer.as_of; })},
       {"price_source", "", of_price([](auto& offer) { return offer.source; })}});
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
      "methods", "Forecasts by the papers' methods",
      {{"method", "method", [](auto& r) { return to_string(r.method); }},
       {"time_s", "time", [](auto& r) { return cell_if(r.forecast, &Forecast::total); }, kBounds},
       {"reason", "why not",
        [](auto& r) { return r.forecast ? Cell() : Cell(r.forecast.error().text); }}},
      rows);
}

Table raw_lap_table(const Run& run) {
  const auto kept = laps_of(run);
  const LapLog& log = *kept;
  Table table = table_made_of<Lap>(
      "laps", "Raw laps",
      {{"lap", "lap", &Lap::index},
       {"epoch", "epoch", &Lap::epoch},
       {"begin_s", "begin", [](auto& r) { return from_ns(r.begin_ns); }},
       {"lap_s", "lap time", &Lap::seconds},
       {"samples", "samples", &Lap::samples},
       {"phase", "phase", [kept](auto& r) { return kept->phases[std::size_t(r.phase)]; }},
       {"finished", "finished", &Lap::finished}},
      log.laps.size(), [kept](std::size_t i) { return kept->laps[i]; });
  if (log.damage && log.damage->lines > 0)
    table.notes.push_back(fmt::format("{} damaged lines, the first at byte {}: {}",
                                      log.damage->lines, log.damage->first_offset,
                                      log.damage->what));
  return table;
}

Table output_table(const std::string& name, const std::string& title, const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return table_of<std::string>(name, title, {{"line", "line", [](auto& line) { return line; }}},
                               lines);
}

/// Returns the columns of hindsight_table(); those that compare with the real time are empty if it
/// is not known.
std::vector<ColumnOf<Hindsight>> hindsight_columns(bool real_is_known) {
  const auto compared = [real_is_known](auto value) {
    return [=](const Hindsight& row) {
      return real_is_known && row.forecast ? cell_of(value(row)) : Cell();
    };
  };
  const auto share = [real_is_known](const Hindsight& row) {
    return real_is_known ? Cell(Percentage{row.share}) : Cell();
  };
  const auto at = [real_is_known](const Hindsight& row) {
    if (!real_is_known) return Cell();
    return row.is_first ? Cell("first, " + format_share(row.share)) : Cell(Percentage{row.share});
  };
  return {
      {"share", "", share, kOptional},
      {"", "at", at, kOptional},
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

/// Returns how the forecast of a watched run changed, compared with the real time; only the last
/// forecast of a run that did not end by itself.
Table hindsight_table(const Run& run) {
  const std::string title = "How the forecast moved";
  if (!std::holds_alternative<outcome::Ended>(run.outcome)) {
    const std::vector<Hindsight> last{{.forecast = run.forecasts.back()}};
    Table table = table_of("moments", title, hindsight_columns(false), last);
    table.notes.push_back(
        "the run did not end by itself: how long it would have taken is not known");
    return table;
  }
  const std::vector<Hindsight> rows = hindsight(run.forecasts, run.wall());
  Table table = table_of("moments", title, hindsight_columns(true), rows);
  table.before.push_back("it really took " + format_duration(run.wall()));
  table.notes.push_back(summary_of(rows));
  return table;
}

}  // namespace

std::string workers_note(const Run& run, const Assessment& assessment) {
  if (!assessment.profile) return "";
  const bool is_learned = assessment.later_end.count() != 0 &&
                          assessment.profile->teardown_provenance != Provenance::measured;
  if (is_learned) return "";
  return describe_workers(*laps_of(run), *assessment.profile);
}

std::vector<ForecastPart> shown_parts(const Forecast& forecast) {
  std::vector<ForecastPart> parts;
  Seconds less{0}, sum{0};
  for (const ForecastPart& part : forecast.parts) {
    (part.time.mid < Seconds{0} ? less : sum) += part.time.mid;
    if (part.time.mid >= Seconds{0}) parts.push_back(part);
  }
  const auto laps = std::ranges::find(parts, PartKind::laps, &ForecastPart::kind);
  const bool in_laps = laps != parts.end() && laps->time.mid + less >= Seconds{0};
  if (in_laps) laps->time = {laps->time.low + less, laps->time.mid + less, laps->time.high + less};
  const double stays = in_laps || less == Seconds{0} ? 1 : std::max(0.0, 1 + less / sum);
  for (ForecastPart& part : parts) {
    part.time = scaled(part.time, stays);
    part.time.low = std::max(Seconds{0}, part.time.low);
  }
  return parts;
}

std::vector<Table> run_tables(const Run& run, const Assessment& of_next,
                              const RunReportOptions& options) {
  const Assessment assessment = of_this_run(of_next, run);
  std::vector<Table> tables{run_figures(run, assessment.profile ? &*assessment.profile : nullptr)};
  tables.front().answer = answer_of(run, assessment);
  if (assessment.profile) {
    tables.push_back(profile_figures(*assessment.profile, *laps_of(run)));
    tables.push_back(effect_table(assessment));
    if (tables.back().rows.empty()) tables.back().only_json = true;
  }
  add_gpus(tables, run, assessment, options.ascii);
  if (assessment.forecast) tables.push_back(forecast_table(run, assessment, options));
  tables.push_back(forecast_record(run, assessment));
  if (!run.preparation.empty()) tables.push_back(preparation_table(run));
  if (!run.forecasts.empty()) tables.push_back(hindsight_table(run));
  if (options.methods && assessment.plan)
    tables.push_back(method_table(assessment, *assessment.profile));
  if (options.raw_laps) tables.push_back(raw_lap_table(run));
  if (options.output) {
    tables.push_back(output_table("standard_output", "Standard output", run.standard_output));
    tables.push_back(output_table("standard_error", "Standard error", run.standard_error));
  }
  return tables;
}

}  // namespace lapcast

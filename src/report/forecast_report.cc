#include "report/forecast_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>
#include <vector>

#include "core/units.h"
#include "history/assessment.h"
#include "history/known_time.h"
#include "report/cells.h"
#include "report/plan_text.h"
#include "run/run_cost.h"
#include "run/secrets.h"
#include "run/settings.h"
#include "stats/summary.h"
#include "table/table_writers.h"

namespace lapcast {
namespace {

/// Returns the remark on a forecast until a target: that it is reached already, or "not reached
/// within 200 epochs, with probability 83 %". Returns no text if it is more likely reached than
/// not.
std::string verdict(const EpochsNeeded& needed) {
  if (needed.reached) return "reached already";
  if (std::isfinite(needed.epochs.mid)) return "";
  return fmt::format("not reached within {:g} epochs, with probability {}",
                     std::round(needed.horizon), format_chance(1 - needed.chance_reached));
}

/// Returns the interval of the epochs; an empty cell if at least half of the distribution never
/// reaches the goal.
Cell epochs_needed_cell(const EpochsNeeded& needed) {
  return std::isfinite(needed.epochs.mid) ? Cell(needed.epochs) : Cell();
}

Cell chance_cell(const EpochsNeeded& needed) {
  return Chance{needed.chance_reached};
}

/// Adds notes about what one run's forecast is based on, and its warnings.
void add_epochs_notes(Table& table, const Run& run, const EpochsNeeded& needed) {
  if (needed.reached) return;
  for (const EpochsBasis& basis : needed.basis)
    if (basis.share >= 0.005)
      table.notes.push_back(fmt::format("{}: {} of it rests on {}", run.context.id,
                                        format_share(basis.share), basis.text));
  for (const std::string& warning : needed.warnings)
    table.notes.push_back(fmt::format("{}: warning: {}", run.context.id, warning));
}

/// Returns the columns that describe a run, followed by `others`.
template <class Row>
std::vector<ColumnOf<Row>> after_run_columns(std::vector<ColumnOf<Row>> others) {
  std::vector<ColumnOf<Row>> columns{
      {"run", "run", [](auto& r) { return r.run->context.id; }},
      {"program", "program", [](auto& r) { return shown_program(r.run->context); }, spare(1)},
      {"machine_type", "machine", [](auto& r) { return r.run->context.machine_type.name; }},
      {"settings", "settings", [](auto& r) { return Settings{settings_text(r.run->context)}; },
       kOptional}};
  columns.insert(columns.end(), others.begin(), others.end());
  return columns;
}

/// Returns whether the forecast of a run is the time that it took, because it was seen to its end.
bool is_its_time(const ForecastRow& row) {
  return !row.until && known_time(*row.run, row.assessment);
}

std::optional<ForecastAndReal> pair_of(const ForecastRow& row) {
  if (!row.real || !row.assessment.forecast || is_its_time(row) || !(row.real->count() > 0))
    return std::nullopt;
  return ForecastAndReal{row.assessment.forecast->total, *row.real};
}

/// Returns a cell function of the forecast; empty if there is none.
template <class Value>
auto of_forecast(Value value) {
  return [value](const ForecastRow& row) {
    return cell_if(row.assessment.forecast, [&](const Forecast&) { return value(row); });
  };
}

/// Returns the reason why there is no forecast, or remarks on it.
std::string remark_of(const ForecastRow& row, std::span<const Offer> offers) {
  if (!row.assessment.forecast) return row.assessment.forecast.error().text;
  if (is_its_time(row))
    return "it is over, and this is its time; --after N forecasts it from its first epochs";
  return with_reason(row.until ? verdict(*row.until) : "",
                     cost_cell(offer_of(*row.run, offers), row.assessment.forecast->total));
}

/// Returns the cost of the forecast: its interval if a training runs until a target, because that
/// was requested, else its mid.
Cell forecast_cost(const ForecastRow& row, std::span<const Offer> offers) {
  const Cell cost = cost_cell(offer_of(*row.run, offers), row.assessment.forecast->total).cell;
  const auto* const bounds = std::get_if<Interval<Money>>(&cost);
  return bounds != nullptr && !row.until ? Cell(bounds->mid) : cost;
}

Cell real_cost(const ForecastRow& row, std::span<const Offer> offers) {
  const auto cost = row.real ? cost_of_time(*row.run, *row.real, offers) : because("");
  return cost ? Cell(*cost) : Cell();
}

std::vector<ColumnOf<ForecastRow>> forecast_columns(std::span<const Offer> offers) {
  const auto plan = [](const ForecastRow& row) {
    return row.until ? Cell() : Cell(plan_text(*row.assessment.plan));
  };
  const auto planned = [](std::int64_t TrainingPlan::*which) {
    return of_forecast([which](const ForecastRow& row) {
      const std::int64_t number = row.until ? 0 : (*row.assessment.plan).*which;
      return number > 0 ? Cell(number) : Cell();
    });
  };
  const auto reached = [](const EpochsNeeded& needed) { return needed.reached; };
  const auto error = [](const ForecastRow& row) {
    return cell_if(pair_of(row), [](auto& pair) { return Percentage{error_of(pair)}; });
  };
  const auto inside = [](const ForecastRow& row) {
    return cell_if(pair_of(row), [](auto& pair) { return pair.forecast.contains(pair.real); });
  };
  return after_run_columns<ForecastRow>(
      {{"", "plan", of_forecast(plan), kOptional | spare(3)},
       {"plan_epochs", "", planned(&TrainingPlan::epochs)},
       {"plan_steps", "", planned(&TrainingPlan::steps)},
       {"training_samples", "", planned(&TrainingPlan::training_samples)},
       {"validation_samples", "", planned(&TrainingPlan::validation_samples)},
       {"reached", "", of_forecast([reached](auto& r) { return cell_if(r.until, reached); })},
       {"epochs", "epochs needed",
        of_forecast([](auto& r) { return cell_if(r.until, epochs_needed_cell); }),
        kBounds | kOptional},
       {"chance_reached", "P(reached)",
        of_forecast([](auto& r) { return cell_if(r.until, chance_cell); }), kOptional},
       {"laps", "from laps", of_forecast([](auto& r) { return r.assessment.profile->laps.size(); }),
        spare(4)},
       {"forecast_s", "forecast", of_forecast([](auto& r) { return r.assessment.forecast->total; }),
        kBounds},
       {"real_s", "real", of_forecast([](auto& r) { return r.real; }), kOptional},
       {"error", "error", of_forecast(error), kOptional},
       {"inside", "inside 95 %", of_forecast(inside), kOptional},
       {"forecast_cost_usd", "forecast cost",
        of_forecast([offers](auto& r) { return forecast_cost(r, offers); }),
        kBounds | kOptional | spare(1)},
       {"real_cost_usd", "real cost",
        of_forecast([offers](auto& r) { return real_cost(r, offers); }), kOptional | spare(2)},
       {"reason", "why not", [offers](auto& r) { return text_cell(remark_of(r, offers)); },
        kOptional}});
}

Cell best_value(const LearningCurve& curve, bool smaller_is_better) {
  if (curve.points.empty()) return {};
  const auto [least, most] = std::ranges::minmax(curve.points, {}, &CurvePoint::value);
  return Number{smaller_is_better ? least.value : most.value, 4};
}

std::string why_not(const EpochsAssessment& assessment) {
  if (!assessment.needed) return assessment.needed.error().text;
  return verdict(*assessment.needed);
}

/// Returns a sentence about the epochs that a run needs: "run 3f0c: 23 epochs (19-30) until
/// val_accuracy >= 0.75, reached with probability 90 %".
std::string epochs_in_words(const EpochsRow& row, const std::string& goal) {
  const std::string run = "run " + row.run->context.id;
  const EpochsAssessment& assessment = row.assessment;
  if (!assessment.needed || !std::isfinite(assessment.needed->epochs.mid))
    return fmt::format("{}: {}", run, why_not(assessment));
  const EpochsNeeded& needed = *assessment.needed;
  return fmt::format(
      "{}: {} epochs until {}, {}", run, for_people(epochs_needed_cell(needed)), goal,
      needed.reached ? "reached already"
                     : "reached with probability " + format_chance(needed.chance_reached));
}

/// Returns a cell function of what is needed; empty if that is not known.
template <class Value>
auto of_needed(Value value) {
  return [value](const EpochsRow& row) { return cell_if(row.assessment.needed, value); };
}

std::vector<ColumnOf<EpochsRow>> epochs_columns() {
  const auto so_far = [](const EpochsRow& row) {
    const auto& points = row.assessment.curve.points;
    return points.empty() ? Cell() : Cell(Number{points.back().epochs, 1});
  };
  const auto real = [](const EpochsRow& row) {
    return row.assessment.real ? Cell(Number{*row.assessment.real, 1}) : Cell();
  };
  return after_run_columns<EpochsRow>(
      {{"seen_epochs", "epochs so far", so_far, spare(2)},
       {"best", "best so far",
        [](auto& r) { return best_value(r.assessment.curve, r.goal.smaller_is_better); }, spare(3)},
       {"epochs", "epochs needed", of_needed(epochs_needed_cell), kBounds},
       {"reached", "", of_needed([](auto& needed) { return needed.reached; })},
       {"chance_reached", "P(reached)", of_needed(chance_cell)},
       {"within_epochs", "within", of_needed([](auto& n) {
          return Number{n.horizon, 0};
        }),
        spare(4)},
       {"real_epochs", "real", real, kOptional},
       {"reason", "remark", [](auto& r) { return text_cell(why_not(r.assessment)); }, kOptional}});
}

}  // namespace

std::vector<Table> forecast_tables(std::span<const ForecastRow> rows,
                                   std::span<const Offer> offers) {
  Table table = table_of("forecasts", "Forecasts", forecast_columns(offers), rows);
  std::vector<ForecastAndReal> pairs;
  for (const ForecastRow& row : rows) {
    if (row.until) add_epochs_notes(table, *row.run, *row.until);
    if (const auto pair = pair_of(row)) pairs.push_back(*pair);
  }
  const ForecastErrors errors = errors_of(pairs);
  if (errors.median) table.after.push_back(describe(errors));
  return {std::move(table), errors_record(errors)};
}

double error_of(const ForecastAndReal& pair) {
  return pair.forecast.mid / pair.real - 1.0;
}

ForecastErrors errors_of(std::span<const ForecastAndReal> pairs) {
  ForecastErrors errors;
  std::vector<double> sizes;
  for (const ForecastAndReal& pair : pairs) {
    sizes.push_back(std::abs(error_of(pair)));
    errors.inside += pair.forecast.contains(pair.real) ? 1 : 0;
  }
  errors.known = sizes.size();
  if (!sizes.empty()) errors.median = median(sizes);
  return errors;
}

Table errors_record(const ForecastErrors& errors) {
  return json_record("errors", {{"median_absolute_error", "", share_cell(errors.median)},
                                {"inside_95", "", cell_of(errors.inside)},
                                {"known", "", cell_of(errors.known)}});
}

std::string describe(const ForecastErrors& errors) {
  if (!errors.median) return "";
  return fmt::format("median absolute error {}; {} of {} real runs inside their 95 % interval",
                     format_share(*errors.median), errors.inside, errors.known);
}

std::vector<Table> epochs_tables(std::span<const EpochsRow> rows, const std::string& goal) {
  Table table = table_of("epochs", "Epochs until " + goal, epochs_columns(), rows);
  for (const EpochsRow& row : rows) {
    table.answer.push_back(epochs_in_words(row, goal));
    if (row.assessment.needed) add_epochs_notes(table, *row.run, *row.assessment.needed);
  }
  return {table};
}

}  // namespace lapcast

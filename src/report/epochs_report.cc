#include "report/epochs_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "choose/assessment.h"
#include "core/units.h"
#include "run/secrets.h"

namespace lapcast {
namespace {

Cell best_value(const LearningCurve& curve, bool smaller_is_better) {
  if (curve.points.empty()) return {};
  double best = curve.points.front().value;
  for (const CurvePoint& point : curve.points)
    best = smaller_is_better ? std::min(best, point.value) : std::max(best, point.value);
  return Number{best, 4};
}

std::string why_not(const EpochsAssessment& assessment) {
  if (!assessment.needed) return assessment.needed.error().text;
  return verdict(*assessment.needed);
}

/// Returns a cell function of what is needed; empty where the run does not say.
template <class Value>
auto of_needed(Value value) {
  return [value](const EpochsRow& row) {
    return row.assessment.needed ? cell_of(value(*row.assessment.needed)) : Cell();
  };
}

std::vector<ColumnOf<EpochsRow>> epochs_columns() {
  const auto so_far = [](const EpochsRow& row) {
    const auto& points = row.assessment.curve.points;
    return points.empty() ? Cell() : Cell(Number{points.back().epochs, 1});
  };
  const auto real = [](const EpochsRow& row) {
    return row.assessment.real ? Cell(Number{*row.assessment.real, 1}) : Cell();
  };
  return {{"run", "run", [](auto& r) { return r.run->context.id; }},
          {"program", "program", [](auto& r) { return shown_program(r.run->context); }},
          {"machine_type", "machine", [](auto& r) { return r.run->context.machine_type.name; }},
          {"settings",
           "settings",
           [](auto& r) { return settings_text(r.run->context); },
           {.optional = true}},
          {"seen_epochs", "epochs so far", so_far},
          {"best", "best so far",
           [](auto& r) { return best_value(r.assessment.curve, r.goal.smaller_is_better); }},
          {"epochs", "epochs needed", of_needed(epochs_cell), {.bounds = true}},
          {"chance_reached", "P(reached)",
           of_needed([](auto& needed) { return Percentage{needed.chance_reached}; })},
          {"within_epochs", "within", of_needed([](auto& needed) {
             return Number{needed.horizon, 0};
           })},
          {"real_epochs", "real", real, {.optional = true}},
          {"reason",
           "remark",
           [](auto& r) { return text_cell(why_not(r.assessment)); },
           {.optional = true}}};
}

}  // namespace

Cell epochs_cell(const EpochsNeeded& needed) {
  return std::isfinite(needed.epochs.mid) ? Cell(needed.epochs) : Cell();
}

std::string verdict(const EpochsNeeded& needed) {
  if (needed.reached) return "reached already";
  if (std::isfinite(needed.epochs.mid)) return "";
  return fmt::format("not reached within {:g} epochs, with probability {}",
                     std::round(needed.horizon), format_share(1 - needed.chance_reached));
}

std::vector<std::string> epochs_notes(const Run& run, const EpochsNeeded& needed) {
  std::vector<std::string> notes;
  for (const EpochsBasis& basis : needed.basis)
    if (basis.share >= 0.005)
      notes.push_back(fmt::format("{}: {} of it rests on {}", run.context.id,
                                  format_share(basis.share), basis.text));
  for (const std::string& warning : needed.warnings)
    notes.push_back(fmt::format("{}: warning: {}", run.context.id, warning));
  return notes;
}

std::vector<Table> epochs_tables(std::span<const EpochsRow> rows, const std::string& goal) {
  Table table = table_of("Epochs until " + goal, epochs_columns(), rows);
  for (const EpochsRow& row : rows) {
    if (!row.assessment.needed || row.assessment.needed->reached) continue;
    const auto notes = epochs_notes(*row.run, *row.assessment.needed);
    table.notes.insert(table.notes.end(), notes.begin(), notes.end());
  }
  return {table};
}

}  // namespace lapcast

#include "report/epochs_report.h"

#include <fmt/format.h>

#include <cmath>

#include "choose/assessment.h"
#include "core/units.h"
#include "report/table_cell.h"
#include "run/secrets.h"

namespace lapcast {
namespace {

/// The best value so far.
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

std::vector<Cell> cells_of(const EpochsRow& row) {
  const RunContext& context = row.run->context;
  const EpochsAssessment& assessment = row.assessment;
  std::vector<Cell> cells{context.id, shown_program(context),
                          context.machine_type.name, settings_text(context)};
  const auto& points = assessment.curve.points;
  cells.push_back(points.empty() ? Cell() : Cell(Number{points.back().epochs, 1}));
  cells.push_back(best_value(assessment.curve, row.goal.smaller_is_better));
  if (const auto& needed = assessment.needed) {
    cells.push_back(epochs_cell(*needed));
    cells.emplace_back(Percentage{needed->chance_reached});
    cells.emplace_back(Number{needed->horizon, 0});
  } else {
    cells.resize(cells.size() + 3);
  }
  cells.push_back(assessment.real ? Cell(Number{*assessment.real, 1}) : Cell());
  const std::string why = why_not(assessment);
  cells.push_back(why.empty() ? Cell() : Cell(why));
  return cells;
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
  Table table{"Epochs until " + goal,
              {},
              {{"run", "run"},
               {"program", "program"},
               {"machine_type", "machine"},
               {.key = "settings", .header = "settings", .optional = true},
               {"seen_epochs", "epochs so far"},
               {"best", "best so far"},
               {"epochs", "epochs needed", true},
               {"chance_reached", "P(reached)"},
               {"within_epochs", "within"},
               {.key = "real_epochs", .header = "real", .optional = true},
               {.key = "reason", .header = "remark", .optional = true}},
              {},
              {}};
  for (const EpochsRow& row : rows) {
    table.rows.push_back(cells_of(row));
    if (!row.assessment.needed || row.assessment.needed->reached) continue;
    const auto notes = epochs_notes(*row.run, *row.assessment.needed);
    table.notes.insert(table.notes.end(), notes.begin(), notes.end());
  }
  return {table};
}

}  // namespace lapcast

#include "choose/tabulate.h"

#include <algorithm>
#include <cmath>

#include "choose/cost_curve.h"

namespace lapcast {
namespace {

void check(std::span<const double> epochs) {
  for (const double e : epochs) {
    if (!(e > 0 && std::isfinite(e))) throw Error(ExitCode::usage, "epochs must be above 0");
  }
}

std::optional<EpochCell> cell_of(const Candidate& candidate, const Offer& offer, double epochs) {
  const Seconds training{candidate.fixed_s + candidate.per_epoch_s * epochs};
  const auto bill = quote(offer, Interval<Seconds>::exactly(training));
  if (!bill) return std::nullopt;
  return EpochCell{bill->time.mid, bill->total.mid};
}

void fill_in_relative(std::vector<EpochRow>& rows, std::size_t column) {
  std::optional<EpochCell> smallest;
  for (const EpochRow& row : rows) {
    const std::optional<EpochCell>& cell = row.cells[column];
    if (!cell) continue;
    if (!smallest) smallest = cell;
    smallest->time = std::min(smallest->time, cell->time);
    smallest->cost = std::min(smallest->cost, cell->cost);
  }
  for (EpochRow& row : rows) {
    std::optional<EpochCell>& cell = row.cells[column];
    if (!cell) continue;
    cell->relative_time = relative(cell->time.count(), smallest->time.count());
    cell->relative_cost = relative(cell->cost.dollars(), smallest->cost.dollars());
  }
}

}  // namespace

std::vector<EpochRow> tabulate(std::span<const Choice> choices, std::span<const double> epochs) {
  check(epochs);
  std::vector<EpochRow> rows;
  for (const Choice& choice : choices) {
    if (!(choice.candidate->per_epoch_s > 0)) continue;
    EpochRow& row = rows.emplace_back(EpochRow{choice.candidate, choice.offer, {}});
    for (const double e : epochs) row.cells.push_back(cell_of(*row.candidate, *row.offer, e));
  }
  for (std::size_t column = 0; column < epochs.size(); ++column) fill_in_relative(rows, column);
  return rows;
}

}  // namespace lapcast

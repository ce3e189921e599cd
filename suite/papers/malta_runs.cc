// Tables 4.1 to 4.3 and 5.1 of Malta 2021: whole trainings and their numbers of epochs.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "price/quote.h"
#include "suite/papers/malta.h"
#include "suite/papers/paper_offers.h"

namespace lapcast {
namespace {

constexpr const char* kBaseline = "p2.xlarge";

/// Returns the mean time of the fastest batch size on p2.xlarge.
Printed baseline_of(const std::vector<PaperRow>& rows, const std::string& table) {
  Printed best{.value = Interval<double>::exactly(HUGE_VAL)};
  for (const PaperRow& row : rows) {
    if (row.text("table") != table || row.text("machine_type") != kBaseline) continue;
    if (Printed mean = row.number("mean_s"); mean.value.mid < best.value.mid)
      best = std::move(mean);
  }
  return best;
}

Interval<double> printed_speed_up(const Printed& baseline, const Printed& mean, bool is_baseline) {
  return is_baseline ? Interval<double>::exactly(1) : printed_ratio(baseline, mean);
}

/// Returns the cost of a time at the exact price; the paper does not bill whole seconds.
Interval<double> cost_of_mean(const std::string& machine_type, const Printed& mean) {
  const HourlyPrice price = paper_offer(machine_type).price;
  return over_rounding({mean},
                       [&](auto x) { return cost_of(price, std::llround(x[0] * 1e9)).dollars(); });
}

PaperCell cell_of_run(const PaperRow& row, const char* quantity, const char* unit,
                      const char* column, const Interval<double>& recomputed) {
  return {.table = row.text("table"),
          .place = row.text("place"),
          .row = row.text("machine_type") + " batch " + row.text("batch_size"),
          .quantity = quantity,
          .unit = unit,
          .printed = row.number(column),
          .recomputed = recomputed};
}

/// Returns the iterations of an epoch; a partial one counts as one.
double whole_iterations(const PaperRow& row) {
  return std::ceil(row.number("training_samples").value.mid / row.number("batch_size").value.mid);
}

PaperCell iteration_cell(const PaperRow& row) {
  const double of_epoch = whole_iterations(row);
  const bool counts_epochs = row.text("iterations_of") == "training";
  const double iterations = row.number("iterations").value.mid;
  return {
      .table = row.text("table"),
      .place = row.text("place"),
      .row = row.text("application") + " batch " + row.text("batch_size"),
      .quantity = counts_epochs ? "epochs" : "iterations of an epoch",
      .unit = "count",
      .printed = row.number(counts_epochs ? "epochs" : "iterations"),
      .recomputed = Interval<double>::exactly(counts_epochs ? iterations / of_epoch : of_epoch)};
}

}  // namespace

std::vector<PaperCell> malta_run_cells() {
  std::vector<PaperCell> cells;
  const std::vector<PaperRow> rows = paper_rows(malta_runs_csv());
  for (const PaperRow& row : rows) {
    const Printed baseline = baseline_of(rows, row.text("table"));
    const Printed mean = row.number("mean_s");
    const bool is_baseline = row.text("machine_type") == kBaseline && mean.text == baseline.text;
    cells.push_back(cell_of_run(row, "speed-up", "ratio", "speedup",
                                printed_speed_up(baseline, mean, is_baseline)));
    cells.push_back(
        cell_of_run(row, "cost", "USD", "cost_usd", cost_of_mean(row.text("machine_type"), mean)));
  }
  for (const PaperRow& row : paper_rows(malta_iterations_csv()))
    cells.push_back(iteration_cell(row));
  return cells;
}

}  // namespace lapcast

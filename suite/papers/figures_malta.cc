// The points of Malta's figures, from her tables.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "suite/papers/figure.h"
#include "suite/papers/paper_table.h"
#include "suite/papers/study.h"

namespace lapcast {
namespace {

constexpr int kShownIterations = 10;
// The costs of table 4.2 are up to 2.3 % off, as if from other runs; the misprints of table 4.1 are
// at least 10 % off.
constexpr double kMisprint = 0.05;

/// Returns the series of that name, and adds it if there is none.
FigureSeries& series_named(std::vector<FigureSeries>& all, const std::string& name) {
  auto found = std::ranges::find(all, name, &FigureSeries::name);
  if (found == all.end()) found = all.insert(found, {.name = name, .points = {}});
  return *found;
}

/// Returns a run's printed cost, or time x price if the print is a misprint: a listed slip by more
/// than kMisprint.
double cost_of_run(const PaperRow& row, const PaperStudy& study) {
  const double printed = row.number("cost_usd").value.mid;
  const auto cell = std::ranges::find_if(study.cells, [&](const PaperCell& any) {
    return any.table == row.text("table") && any.quantity == "cost" &&
           any.row == row.text("machine_type") + " batch " + row.text("batch_size");
  });
  if (cell == study.cells.end() || verdict_of(*cell) != CellVerdict::slip) return printed;
  const double recomputed = cell->recomputed.mid;
  return std::abs(printed / recomputed - 1) > kMisprint ? recomputed : printed;
}

std::vector<FigureSeries> by_machine(const char* table, bool against_cost) {
  const PaperStudy study = against_cost ? study_named("malta") : PaperStudy();
  std::vector<FigureSeries> all;
  for (const PaperRow& row : paper_rows(malta_runs_csv())) {
    if (row.text("table") != table) continue;
    const double time = row.number("mean_s").value.mid;
    FigurePoint point{.x = row.number("batch_size").value.mid, .y = time, .label = ""};
    point.deviation = row.number("sd_s").value.mid;
    if (against_cost)
      point = {.x = time, .y = cost_of_run(row, study), .label = "batch=" + row.text("batch_size")};
    series_named(all, "paper: " + row.text("machine_type")).points.push_back(std::move(point));
  }
  return all;
}

std::string batch_name(const PaperRow& row) {
  return "paper: p2.xlarge batch " + row.text("batch_size");
}

/// Returns the epochs of table 5.2. Its "average epoch time" is that of the later ones: with it as
/// T(Ep2) equation 5.1 gives the printed estimates.
std::vector<FigureSeries> epoch_times() {
  std::vector<FigureSeries> all;
  for (const PaperRow& row : paper_rows(malta_epochs_csv())) {
    const double first = row.number("first_epoch_s").value.mid;
    const double others = row.number("average_epoch_s").value.mid;
    const double epochs = row.number("epochs").value.mid;
    FigureSeries& series = series_named(all, batch_name(row));
    for (int epoch = 1; epoch <= epochs; ++epoch)
      series.points.push_back({.x = 1.0 * epoch, .y = epoch == 1 ? first : others, .label = ""});
  }
  return all;
}

std::vector<FigureSeries> real_and_estimated() {
  std::vector<FigureSeries> all{{"real", {}}, {"estimated", {}}};
  for (const PaperRow& row : paper_rows(malta_epochs_csv())) {
    const std::string label = "p2.xlarge batch " + row.text("batch_size");
    all[0].points.push_back({.y = row.number("real_s").value.mid, .label = label});
    all[1].points.push_back({.y = row.number("estimated_s").value.mid, .label = label});
  }
  return all;
}

/// Returns a series for each batch size of table 5.3: a first value, and a constant later one from
/// 2 to kShownIterations.
std::vector<FigureSeries> first_and_later(const char* first, const char* later,
                                          const std::vector<std::string>& batches) {
  std::vector<FigureSeries> all;
  for (const PaperRow& row : paper_rows(malta_estimates_csv())) {
    if (row.text("table") != "5.3" ||
        std::ranges::find(batches, row.text("batch_size")) == batches.end())
      continue;
    FigureSeries& series = series_named(all, batch_name(row));
    for (int i = 1; i <= kShownIterations; ++i)
      series.points.push_back(
          {.x = 1.0 * i, .y = row.number(i == 1 ? first : later).value.mid, .label = ""});
  }
  return all;
}

/// Returns the simulated time of a machine for this many epochs: the printed start and first
/// iteration, and for each epoch its part of the printed estimate (equation 5.4).
double simulated_s(const PaperRow& estimate, double epochs) {
  const auto value = [&](const char* column) { return estimate.number(column).value.mid; };
  const double start = value("init_s") + value("first_it_s");
  return start + (value("estimated_s") - start) * epochs / value("epochs");
}

/// Returns the times of all machines: that of `base`, whose estimate is printed, times the ratios
/// of a table.
std::vector<FigureSeries> simulated(const char* base, const char* estimates, const char* batch,
                                    const char* ratios) {
  const std::vector<PaperRow> all_estimates = paper_rows(malta_estimates_csv());
  const PaperRow& estimate = row_where(all_estimates, [&](const PaperRow& row) {
    return row.text("table") == estimates && row.text("batch_size") == batch &&
           row.text("validation") == "no";
  });
  std::vector<PaperRow> rows = paper_rows(malta_relative_csv());
  std::erase_if(rows, [&](const PaperRow& row) {
    return row.text("table") != ratios || row.text("validation") != "no" ||
           row.text("objective") != "time";
  });
  const PaperRow& one =
      row_where(rows, [&](const PaperRow& row) { return row.text("machine_type") == base; });
  std::vector<FigureSeries> all;
  for (const PaperRow& row : rows)
    for (const std::string column : {"a", "b", "c"}) {
      const double epochs = row.number("epochs_" + column).value.mid;
      const double ratio =
          row.number("value_" + column).value.mid / one.number("value_" + column).value.mid;
      series_named(all, "paper: " + row.text("machine_type"))
          .points.push_back({.x = epochs, .y = ratio * simulated_s(estimate, epochs), .label = ""});
    }
  return all;
}

}  // namespace

std::vector<FigureSeries> malta_series(std::string_view number) {
  if (number == "4.3") return by_machine("4.1", false);
  if (number == "4.4") return by_machine("4.2", false);
  if (number == "4.6") return by_machine("4.1", true);
  if (number == "4.7") return by_machine("4.2", true);
  if (number == "4.8") return epoch_times();
  if (number == "4.9") return real_and_estimated();
  if (number == "5.2") return first_and_later("first_it_s", "steady_it_s", {"256", "512"});
  if (number == "5.3")
    return first_and_later("first_validation_s", "later_validation_s",
                           {"256", "512", "1024", "2048"});
  if (number == "5.4") return simulated("p2.xlarge", "5.4", "256", "5.7");
  if (number == "5.5") return simulated("p2.16xlarge", "5.9", "2048", "5.12");
  throw Error(ExitCode::bad_input, fmt::format("no figure {} of malta is drawn", number));
}

}  // namespace lapcast

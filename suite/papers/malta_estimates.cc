// Tables 5.2 to 5.5 and 5.9 of Malta 2021: estimates from the first epochs and iterations.
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "forecast/forecast.h"
#include "suite/papers/malta.h"

namespace lapcast {
namespace {

const Printed kNothing{.text = "0"};

std::string row_name(const PaperRow& row, bool has_variants) {
  const std::string batch = row.text("application") + " batch " + row.text("batch_size");
  if (!has_variants) return batch;
  return batch + (row.text("validation") == "yes" ? " with validation" : " without validation");
}

PaperCell estimate_cell(const PaperRow& row, bool has_variants, const char* quantity,
                        const char* unit, const char* column, const Interval<double>& recomputed) {
  return {.table = row.text("table"),
          .place = row.text("place"),
          .row = row_name(row, has_variants),
          .quantity = quantity,
          .unit = unit,
          .printed = row.number(column),
          .recomputed = recomputed};
}

/// Returns the error of the estimate as a share of the real time.
PaperCell error_cell(const PaperRow& row, bool has_variants) {
  const auto error = over_rounding({row.number("real_s"), row.number("estimated_s")},
                                   [](auto x) { return 100 * std::abs(x[1] / x[0] - 1); });
  return estimate_cell(row, has_variants, "error", "percent", "error_percent", error);
}

Interval<double> by_epochs(const PaperRow& row) {
  const double epochs = row.number("epochs").value.mid;
  return over_rounding(
      {row.number("init_s"), row.number("first_epoch_s"), row.number("average_epoch_s")},
      [&](auto x) { return epoch_method(x[0], x[1], x[2], epochs); });
}

/// Returns the iterations of an epoch as the tables count them: the unrounded quotient.
double iterations_of(const PaperRow& row) {
  return row.number("training_samples").value.mid / row.number("batch_size").value.mid;
}

Interval<double> by_iterations(const PaperRow& row) {
  const double epochs = row.number("epochs").value.mid;
  const Printed first = row.number_if("first_validation_s").value_or(kNothing);
  const Printed later = row.number_if("later_validation_s").value_or(kNothing);
  return over_rounding(
      {row.number("init_s"), row.number("first_it_s"), row.number("steady_it_s"), first, later},
      [&](auto x) {
        return iteration_method({x[0], x[1], x[2], x[3], x[4]}, iterations_of(row), epochs);
      });
}

/// Returns the number of training images for which equation 5.4 (iteration_method()) gives the
/// printed estimate.
PaperCell training_images(const PaperRow& row, const Printed& in_text) {
  const double epochs = row.number("epochs").value.mid;
  const double batch = row.number("batch_size").value.mid;
  const auto images =
      over_rounding({row.number("init_s"), row.number("first_it_s"), row.number("steady_it_s"),
                     row.number("estimated_s")},
                    [&](auto x) {
                      const double at_one = iteration_method({x[0], x[1], x[2]}, 1, epochs);
                      const double each = iteration_method({x[0], x[1], x[2]}, 2, epochs) - at_one;
                      return batch * (1 + (x[3] - at_one) / each);
                    });
  PaperCell cell = estimate_cell(row, true, "training images", "count", "epochs", images);
  cell.printed = in_text;
  return cell;
}

/// Returns the real time of a row of table 5.3 for comparison with a later table that repeats it.
PaperCell repeated_real(const PaperRow& row, const std::vector<PaperRow>& rows) {
  const PaperRow& first = row_where(rows, [&](const PaperRow& other) {
    return other.text("application") == row.text("application") &&
           other.text("batch_size") == row.text("batch_size");
  });
  return estimate_cell(row, false, "real time", "s", "real_s", first.number("real_s").value);
}

std::vector<PaperCell> iteration_cells() {
  std::vector<PaperCell> cells;
  const PaperFacts text(malta_text_csv());
  const std::vector<PaperRow> rows = paper_rows(malta_estimates_csv());
  for (const PaperRow& row : rows) {
    const std::string& table = row.text("table");
    const bool has_variants = table == "5.9";
    const bool lacks_validation = has_variants && row.text("validation") == "yes";
    if (table == "5.4" || table == "5.5") cells.push_back(repeated_real(row, rows));
    if (!lacks_validation)
      cells.push_back(
          estimate_cell(row, has_variants, "estimate", "s", "estimated_s", by_iterations(row)));
    cells.push_back(error_cell(row, has_variants));
    if (has_variants && !lacks_validation)
      cells.push_back(training_images(row, text("all batches", "training images")));
  }
  return cells;
}

}  // namespace

std::vector<PaperCell> malta_estimate_cells() {
  std::vector<PaperCell> cells;
  for (const PaperRow& row : paper_rows(malta_epochs_csv())) {
    cells.push_back(estimate_cell(row, false, "estimate", "s", "estimated_s", by_epochs(row)));
    cells.push_back(error_cell(row, false));
  }
  for (PaperCell& cell : iteration_cells()) cells.push_back(std::move(cell));
  return cells;
}

}  // namespace lapcast

// Tables 4.4, 4.5 and 5.14 of Malta 2021, the costs of searches, and figures of the text.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "rank/odds.h"
#include "suite/papers/malta.h"
#include "suite/papers/paper_offers.h"

namespace lapcast {
namespace {

struct SearchColumn {
  const char* column;
  const char* quantity;
};
constexpr SearchColumn kSearchColumns[] = {{"exhaustive_usd", "cost of everything"},
                                           {"epoch_method_usd", "cost of two epochs"},
                                           {"iteration_method_usd", "cost of two iterations"}};

/// Holds the costs of the searches of one application by machine type, with the totals.
struct Search {
  std::vector<PaperRow> rows;

  const PaperRow& total() const { return rows.back(); }
  /// Returns the sum of a column, with bounds from the rounding of its cells.
  Interval<double> sum(const char* column) const {
    Interval<double> sum;
    for (const PaperRow& row : rows) {
      if (&row == &total()) break;
      const Interval<double> cost = row.number(column).value;
      sum = {sum.low + cost.low, sum.mid + cost.mid, sum.high + cost.high};
    }
    return sum;
  }
  /// Returns the saving of one method over another in percent.
  Interval<double> saved(const char* all, const char* column) const {
    return over_rounding({total().number(all), total().number(column)}, [](auto x) {
      const Money one = Money::parse("1");
      return 100 * saving(scaled(one, x[0]), scaled(one, x[1])).value();
    });
  }
};

Search search_of(const std::string& application) {
  Search search;
  for (PaperRow& row : paper_rows(malta_search_csv()))
    if (row.text("application") == application) search.rows.push_back(std::move(row));
  return search;
}

void add_totals(std::vector<PaperCell>& cells, const Search& search) {
  for (const auto& [column, quantity] : kSearchColumns) {
    const auto total = search.total().number_if(column);
    if (!total) continue;
    cells.push_back({.table = search.total().text("table"),
                     .place = search.total().text("place"),
                     .row = "total",
                     .quantity = quantity,
                     .unit = "USD",
                     .printed = total,
                     .recomputed = search.sum(column)});
  }
}

/// Adds the costs of the five trainings of each batch size of table 4.1 on each machine type, and
/// the cheapest one, which the first methodology also trains to the end.
void add_machines(std::vector<PaperCell>& cells, const Search& seismic) {
  constexpr double kTrainings = 5;  // section 4.1
  const std::vector<PaperCell> runs = malta_run_cells();
  const auto cell = [&](const PaperRow& row, const SearchColumn& column,
                        const Interval<double>& recomputed) {
    cells.push_back({.table = row.text("table"),
                     .place = row.text("place"),
                     .row = row.text("machine_type"),
                     .quantity = column.quantity,
                     .unit = "USD",
                     .printed = row.number(column.column),
                     .recomputed = recomputed});
  };
  for (const PaperRow& row : seismic.rows) {
    if (&row == &seismic.total()) break;
    Interval<double> all{};
    for (const PaperCell& run : runs)
      if (run.table == "4.1" && run.quantity == "cost" &&
          run.row.starts_with(row.text("machine_type") + " "))
        all = {all.low + kTrainings * run.recomputed.low, all.mid + kTrainings * run.recomputed.mid,
               all.high + kTrainings * run.recomputed.high};
    cell(row, kSearchColumns[0], all);
  }
  const PaperRow& cheapest = seismic.rows.front();
  cell(cheapest, kSearchColumns[1], cheapest.number(kSearchColumns[0].column).value);
}

/// Returns the shortest mean time of a machine type in a table.
Printed fastest(const std::string& table, const std::string& machine_type,
                const std::string& batch = "") {
  Printed best{.value = Interval<double>::exactly(HUGE_VAL)};
  for (const PaperRow& row : paper_rows(malta_runs_csv())) {
    if (row.text("table") != table || row.text("machine_type") != machine_type) continue;
    if (!batch.empty() && row.text("batch_size") != batch) continue;
    if (Printed mean = row.number("mean_s"); mean.value.mid < best.value.mid)
      best = std::move(mean);
  }
  return best;
}

Interval<double> price_ratio(const char* a, const char* b) {
  return Interval<double>::exactly(paper_offer(a).price.per_hour.dollars() /
                                   paper_offer(b).price.per_hour.dollars());
}

void add_speeds(std::vector<PaperCell>& cells, const PaperFacts& text) {
  cells.push_back(
      text.cell("p3.8xlarge over p2.xlarge", "price", price_ratio("p3.8xlarge", "p2.xlarge")));
  cells.push_back(
      text.cell("p3.2xlarge over p2.xlarge", "price", price_ratio("p3.2xlarge", "p2.xlarge")));
  cells.push_back(
      text.cell("p3.8xlarge batch 1024 over the best of p2.xlarge", "speed",
                printed_ratio(fastest("4.1", "p2.xlarge"), fastest("4.1", "p3.8xlarge", "1024"))));
  cells.push_back(
      text.cell("best of p3.8xlarge over the best of p3.2xlarge", "speed",
                printed_ratio(fastest("4.2", "p3.2xlarge"), fastest("4.2", "p3.8xlarge"))));
  cells.push_back(
      text.cell("p3.2xlarge batch 1024 over the best of p2.xlarge", "speed",
                printed_ratio(fastest("4.2", "p2.xlarge"), fastest("4.2", "p3.2xlarge", "1024"))));
}

/// Compares the headers of tables 5.12 and 5.13 with the epochs of their columns in the text.
void add_heads(std::vector<PaperCell>& cells, const PaperFacts& text) {
  for (const PaperRow& row : paper_rows(malta_relative_csv())) {
    const std::string& table = row.text("table");
    const bool is_first =
        row.text("machine_type") == "p2.xlarge" && row.text("validation") == "yes";
    if (!is_first || (table != "5.12" && table != "5.13")) continue;
    for (const auto& [ordinal, column] :
         {std::pair{"first", "epochs_a"}, {"second", "epochs_b"}, {"third", "epochs_c"}})
      cells.push_back(text.cell("table " + table + " " + ordinal + " column", "epochs",
                                Interval<double>::exactly(row.number(column).value.mid)));
  }
}

}  // namespace

std::vector<PaperCell> malta_text_cells() {
  const PaperFacts text(malta_text_csv());
  const Search seismic = search_of("seismic-fcn");
  const Search mnist = search_of("mnist-simple-cnn");
  std::vector<PaperCell> cells;
  add_machines(cells, seismic);
  add_totals(cells, seismic);
  add_totals(cells, mnist);
  cells.push_back(text.cell("seismic-fcn: two epochs instead of everything", "saving",
                            seismic.saved("exhaustive_usd", "epoch_method_usd")));
  cells.push_back(text.cell("mnist-simple-cnn: two epochs instead of everything", "saving",
                            mnist.saved("exhaustive_usd", "epoch_method_usd")));
  cells.push_back(text.cell("mnist-simple-cnn: two iterations instead of everything", "saving",
                            mnist.saved("exhaustive_usd", "iteration_method_usd")));
  cells.push_back(text.cell("mnist-simple-cnn: two iterations instead of two epochs", "saving",
                            mnist.saved("epoch_method_usd", "iteration_method_usd")));
  add_speeds(cells, text);
  add_heads(cells, text);
  const auto share = [](double validation, double training) {
    return Interval<double>::exactly(100 * validation / training);
  };
  cells.push_back(text.cell("validation images of the seismic set", "share", share(212, 40512)));
  cells.push_back(text.cell("validation images of MNIST", "share", share(10000, 50000)));
  return cells;
}

}  // namespace lapcast

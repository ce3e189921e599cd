// Carneiro et al. 2018: all cores, the GPU, and the cores of a server, equations 2 and 3.
#include <string>
#include <utility>
#include <vector>

#include "suite/papers/study.h"

namespace lapcast {
namespace {

PaperCell carneiro_cell(const PaperRow& row, const char* quantity) {
  return {.table = row.text("table"),
          .place = row.text("place"),
          .row = row.text("work") + " " + row.text("testbed"),
          .quantity = quantity,
          .unit = "ratio"};
}

/// Returns the time of the server's cores that follows from a row; it is not printed anywhere.
Interval<double> server_time(const PaperRow& row) {
  return over_rounding({row.number("gpu_s"), row.number("speedup_over_server")},
                       [](auto x) { return x[0] * x[1]; });
}

void add_row(std::vector<PaperCell>& cells, const PaperRow& row) {
  PaperCell speed_up = carneiro_cell(row, "speed-up over its cores");
  speed_up.printed = row.number("speedup");
  speed_up.recomputed = printed_ratio(row.number("multicore_s"), row.number("gpu_s"));
  cells.push_back(std::move(speed_up));

  PaperCell server = carneiro_cell(row, "time of the server's cores");
  server.unit = "s";
  server.recomputed = server_time(row);
  server.reason = "time of the GPU x speed-up over the server";
  cells.push_back(std::move(server));
}

/// Adds the GPUs' rates of section III-C, from their speed-ups over the same serial run.
void add_queens(std::vector<PaperCell>& cells) {
  const PaperFacts fact(figure_facts_csv());
  const auto over = [&](const char* slower, double less) {
    return over_rounding({fact("Colab GPU", "speed-up"), fact(slower, "speed-up")},
                         [&](auto x) { return 100 * (x[0] / x[1] - less); });
  };
  cells.push_back(fact.cell("Colab GPU over Server GPU", "rate", over("Server GPU", 0)));
  cells.push_back(fact.cell("Colab GPU over Mainstream GPU", "rate", over("Mainstream GPU", 1)));
}

/// Returns the claim of section IV-D for the GTX 1050 Ti: "more than 20x" over its machine's cores.
PaperCell best_of_mainstream(const std::vector<PaperRow>& rows) {
  Interval<double> best;
  for (const PaperRow& row : rows) {
    if (row.text("testbed") != "mainstream") continue;
    const auto ratio = printed_ratio(row.number("multicore_s"), row.number("gpu_s"));
    if (ratio.mid > best.mid) best = ratio;
  }
  return {.table = "2 and 3",
          .place = "section IV-D",
          .row = "mainstream, the best of both tables",
          .quantity = "speed-up over its cores",
          .unit = "ratio",
          .printed = printed("20"),
          .recomputed = best};
}

}  // namespace

PaperStudy carneiro_study() {
  const std::vector<PaperRow> rows = paper_rows(carneiro_csv());
  PaperStudy study{.name = "carneiro",
                   .title =
                       "Carneiro et al. 2018, Performance Analysis of Google Colaboratory as a "
                       "Tool for Accelerating Deep Learning Applications"};
  add_queens(study.cells);
  for (const PaperRow& row : rows) add_row(study.cells, row);
  study.cells.push_back(best_of_mainstream(rows));
  study.notes = {
      "the times of N-Queens are only in figures 1 and 2, so their speed-ups (19.11, 18.31, 17, "
      "13.9 and 4.27) cannot be computed again",
      "the times of the server's cores are printed nowhere, so the speed-ups over them (equation "
      "3) "
      "cannot be computed again: both testbeds imply the same times, which checks neither"};
  return study;
}

}  // namespace lapcast

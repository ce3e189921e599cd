// The Colab review of 2021: stage times of five networks, and the speed-ups in percent.
#include <string>
#include <utility>
#include <vector>

#include "rank/comparison.h"
#include "suite/papers/study.h"

namespace lapcast {
namespace {

/// Returns (cpu / other - 1) in percent, in the way lapcast compares two sets of times.
Interval<double> percent_faster(const Printed& cpu, const Printed& other) {
  static const RunMetric time = parse_run_metric("time");
  return over_rounding({cpu, other}, [&](auto x) {
    return 100 * compare(x.subspan(0, 1), x.subspan(1, 1), time).gain.value();
  });
}

PaperCell review_cell(const PaperRow& row, const std::string& device) {
  return {.table = row.text("table"),
          .place = row.text("place"),
          .row = row.text("network") + " " + row.text("stage"),
          .quantity = (device == "gpu" ? "GPU" : "TPU") + std::string(" over CPU"),
          .unit = "percent",
          .printed = row.number(device + "_percent"),
          .recomputed = percent_faster(row.number("cpu_s"), row.number(device + "_s"))};
}

}  // namespace

PaperStudy review_study() {
  PaperStudy study{.name = "review",
                   .title =
                       "Execution-Time Performance of Deep Learning Networks on CPU, GPU and "
                       "TPU Runtime Environments, 2021"};
  for (const PaperRow& row : paper_rows(review_csv()))
    for (const char* device : {"gpu", "tpu"}) study.cells.push_back(review_cell(row, device));
  return study;
}

}  // namespace lapcast

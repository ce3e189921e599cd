#pragma once

#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "run/run.h"

namespace lapcast {

/// A figure by which sets of runs are summarised and compared.
struct RunMetric {
  enum class Kind { time, lap, first_lap, init, throughput, accuracy, memory, cost, reported };
  Kind kind = Kind::time;
  std::string name;    // "time"; of Kind::reported the name that programs report it under
  std::string unit;    // "s", "samples/s", "bytes", "USD"; empty = none
  std::string better;  // what a set with a better figure is: "faster", "higher", "smaller"
  std::string worse;
  bool larger_is_better = false;
};

/// The values that a metric can have.
struct MetricRange {
  double lowest = -std::numeric_limits<double>::infinity();
  double highest = std::numeric_limits<double>::infinity();
};
/// Returns the range of a metric: no time, throughput, memory or cost is below 0. A metric whose
/// name says accuracy, F1, precision, recall, AUC, IoU or Dice is a share, 0 to 1, where all values
/// are; where all are from 0 to 100 it is a percentage. Any other reported metric, such as a loss,
/// has no known range.
MetricRange range_of(const RunMetric& metric, std::span<const double> values);

/// The names that parse_run_metric() knows, for help: "time, lap, ...".
std::string run_metric_names();
/// One of them, or any other word for a metric that the programs report themselves: its best value
/// counts, the smallest where smaller_is_better() of its name. Throws Error (usage) for no word.
RunMetric parse_run_metric(std::string_view name);

/// The figure of one run; the reason why it has none. `time` is that of a run to its end, from
/// start to end of the process; `lap` and `throughput` are those of the steady state; `accuracy` is
/// the best val_accuracy; `memory` is the peak of the largest process; `cost` needs the run's own
/// price.
Result<double> value_of(const Run& run, const RunMetric& metric);

/// The values of all runs that have one, in order, and for each of the others the reason.
struct RunValues {
  std::vector<double> values;
  std::vector<std::string> left_out;  // "3f0c8a91d2e4: it was not run to its end"
};
RunValues values_of(const std::vector<Run>& runs, const RunMetric& metric);

}  // namespace lapcast

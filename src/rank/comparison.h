#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/seconds.h"
#include "run/run.h"
#include "stats/two_samples.h"

namespace lapcast {

/// Is the p-value below which a difference counts as seen.
inline constexpr double kSignificant = 0.05;

/// Describes a figure by which sets of runs are summarised and compared.
struct RunMetric {
  enum class Kind {
    time,
    lap,
    first_lap,
    init,
    throughput,
    accuracy,
    test_time,
    memory,
    cost,
    reported
  };
  Kind kind = Kind::time;
  std::string name;    // "time"; what the user calls it
  std::string unit;    // "s", "samples/s", "bytes", "USD"; empty = none
  std::string better;  // the word for a set with a better figure: "faster", "higher", "smaller"
  std::string worse;   // "slower", "lower", "larger"
  bool larger_is_better = false;
  std::string reported = {};  // name that programs report it under; for accuracy and reported
  bool is_last = false;       // of what was reported the last value counts, not the best one
};

/// Holds the range of the values that a metric can have.
struct MetricRange {
  double lowest = -std::numeric_limits<double>::infinity();
  double highest = std::numeric_limits<double>::infinity();
};

/// Returns the range of a metric: no time, throughput, memory or cost is below 0. A metric whose
/// name says accuracy, F1, precision, recall, AUC, IoU or Dice is a share (0 to 1) when all values
/// lie in that range, and a percentage when all lie between 0 and 100. Any other reported metric,
/// such as a loss, has no known range.
MetricRange range_of(const RunMetric& metric, std::span<const double> values);

/// Returns the metric of that name: "time", "lap", "first-lap", "init", "throughput", "accuracy",
/// "training-accuracy", "test-time", "memory" or "cost". Any other word is a metric that programs
/// report themselves. Of what was reported the best value counts (best_metric()); with "last-"
/// before such a name, the accuracies included, the last one, which is the last epoch's. Throws
/// Error (usage) for text that is not a word: empty, longer than 60 bytes, with a space, a comma or
/// an equals sign, or not printable.
RunMetric parse_run_metric(std::string_view name);

/// Returns the figure of one run in metric.unit, or why it has none. `time` is that of a run to its
/// end, from start to end of the process; `lap` and `throughput` are those of the steady state;
/// `accuracy` is the best val_accuracy and `training-accuracy` the best accuracy, each as
/// programs report them; `test-time` is that of the stage "evaluate", or where the
/// run has none, of its last validation; `memory` is the peak of the largest process; `cost` is the
/// bill for the run's wall time under its RunContext::price.
Result<double> value_of(const Run& run, const RunMetric& metric);

/// Holds the values of the runs that have one, in the order of the runs, and why others have none.
struct RunValues {
  std::vector<double> values;
  std::vector<std::string> left_out;  // "3f0c8a91d2e4: it was not run to its end"
};
RunValues values_of(const std::vector<Run>& runs, const RunMetric& metric);

/// Holds the answer of `lapcast compare`: how two sets of values of one metric, A and B, differ.
struct Comparison {
  std::size_t n_a = 0;
  std::size_t n_b = 0;
  std::optional<WelchTest> test;  // of A against B; absent with n < 2, or without any spread
  /// Gives the share by which the mean of B is better than that of A: A / B - 1 where small is
  /// better, B / A - 1 where large is; negative = worse. Absent where the ratio is not defined.
  std::optional<double> gain;
  std::optional<Interval<double>> gains;  // of gain, 95 %; absent where ratio_of_means() is
  std::string verdict;                    // a sentence: "B is 12 % faster (8.0 to 16 %), ..."
  /// Returns whether both sets have a value.
  bool answered() const { return n_a > 0 && n_b > 0; }
};

/// Compares the values of two sets, A and B. A difference counts as seen at p < kSignificant. With
/// n = 0 the verdict says what is missing; with n = 1 it gives the difference and says that it may
/// be chance; values without any spread are compared as they are.
Comparison compare(std::span<const double> a, std::span<const double> b, const RunMetric& metric);

/// Returns a word for the size of Hedges' g (Cohen 1988): |g| below 0.2 is negligible, below 0.5
/// small, below 0.8 medium, else large.
std::string_view size_of_effect(double hedges_g);

}  // namespace lapcast

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

/// Sets the p-value below which a difference counts as significant.
inline constexpr double kSignificant = 0.05;

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
  std::string reported = {};  // the name in reports of programs; for accuracy and reported
  bool is_last = false;       // the last reported value counts, not the best one
};

struct MetricRange {
  double lowest = -std::numeric_limits<double>::infinity();
  double highest = std::numeric_limits<double>::infinity();
};

/// Returns the range of a metric: time, throughput, memory and cost are not below 0. A metric whose
/// name has accuracy, F1, precision, recall, AUC, IoU or Dice is a share (0 to 1) if all values are
/// in that range, and a percentage if all are between 0 and 100. Any other reported metric, such as
/// a loss, has no known range.
MetricRange range_of(const RunMetric& metric, std::span<const double> values);

/// Returns the metric of that name: "time", "lap", "first-lap", "init", "throughput", "accuracy",
/// "training-accuracy", "test-time", "memory" or "cost". Any other word is a metric that programs
/// report themselves. The best reported value counts (best_metric()); with "last-" before such a
/// name, including the accuracies, the last one, which is the last epoch's. Throws Error (usage)
/// for text that is not a word: empty, longer than 60 bytes, with a space, a comma or an equals
/// sign, or not printable.
RunMetric parse_run_metric(std::string_view name);

/// Returns the value of one run in metric.unit, or why it has none. `time` is that of a full run,
/// from start to end of the process; `lap` and `throughput` are those of the steady state;
/// `accuracy` is the best val_accuracy and `training-accuracy` the best accuracy, each as reported
/// by programs; `test-time` is the time of the stage "evaluate" or, if the run has none, of its
/// last validation; `memory` is the peak of the largest process; `cost` is the bill for the run's
/// wall time under its RunContext::price.
Result<double> value_of(const Run& run, const RunMetric& metric);

/// Holds the values of the runs that have one, in the order of the runs, and why others have none.
struct RunValues {
  std::vector<double> values;
  std::vector<std::string> left_out;  // "3f0c8a91d2e4: it was not run to its end"
};
RunValues values_of(const std::vector<Run>& runs, const RunMetric& metric);

/// Holds the answer of `lapcast compare`: how sets A and B differ in the values of one metric.
struct Comparison {
  std::size_t n_a = 0;
  std::size_t n_b = 0;
  std::optional<WelchTest> test;  // of A against B; absent with n < 2, or if all values are equal
  /// Gives the share by which the mean of B is better than that of A; negative = worse: B / A - 1
  /// if larger is better, the gain of speed A / B - 1 for times, 1 - B / A for cost, memory and
  /// other metrics of which less is better. Absent if the ratio is not defined.
  std::optional<double> gain;
  std::optional<Interval<double>> gains;  // of gain, 95 %; absent if ratio_of_means() is
  std::string verdict;                    // a sentence: "B is 12 % faster (8.0 to 16 %), ..."
  /// Returns whether both sets have a value.
  bool answered() const { return n_a > 0 && n_b > 0; }
};

/// Compares the values of two sets, A and B. A difference is significant at p < kSignificant. With
/// n = 0 the verdict says what is missing; with n = 1 it gives the difference and says that it may
/// be chance; values without any spread are compared as they are.
Comparison compare(std::span<const double> a, std::span<const double> b, const RunMetric& metric);

/// Returns a word for the size of Hedges' g (Cohen 1988): |g| below 0.2 is negligible, below 0.5
/// small, below 0.8 medium, else large.
std::string_view size_of_effect(double hedges_g);

}  // namespace lapcast

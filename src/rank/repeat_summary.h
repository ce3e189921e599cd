#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/money.h"
#include "core/seconds.h"
#include "history/linear_expectation.h"
#include "history/training_work.h"
#include "price/offer.h"
#include "rank/comparison.h"
#include "run/run.h"
#include "stats/two_samples.h"

namespace lapcast {

/// Holds the runs to their end of one machine type with one combination of settings and one work.
struct RepeatGroup {
  std::string machine_type;
  std::string settings;   // "batch=128", without the seed (settings_of_set())
  std::vector<Run> runs;  // that ended by themselves, by their start; warm-up runs are among them
  std::string reason;     // why there are not more runs; empty = there are enough
  TrainingWork work = {};
  std::string training = {};  // what sets its work apart from groups with the same machine type and
                              // settings (differences()); empty = there are none
};

/// Returns the group's name for people: "gpu batch=128", "gpu batch=128 --epochs 6".
std::string name_of(const RepeatGroup& group);

/// Returns the runs to their end in groups, in the order in which the groups first appear. Runs of
/// another kind, and those that did not end by themselves, are left out.
std::vector<RepeatGroup> repeat_groups(std::span<const Run> runs);

/// Holds the figures of a group. Warm-up runs count in none but `warm_ups`.
struct RepeatRow {
  std::size_t warm_ups = 0;
  std::vector<double> times;                // seconds from start to end of the process
  std::vector<double> accuracies;           // the best val_accuracy of each run that has one
  std::vector<double> training_accuracies;  // the best accuracy on the training samples
  std::vector<double> last_accuracies;      // both of the last epoch
  std::vector<double> last_training_accuracies;
  std::vector<double> test_times;  // seconds (RunMetric::Kind::test_time)
  std::vector<double> costs;       // USD of each run's bill
  std::string why_no_cost;         // of the first run without a bill
  std::vector<double> joules;      // of each run whose energy was measured
  /// Gives the mean time of the baseline over that of the group (Fieller 1954), 95 %. Without an
  /// interval, where one of them has a single run, all three are the ratio. Absent without times.
  std::optional<Interval<double>> speed_up;
  /// Gives, for a group with device=cuda, the mean time of the same settings with device=cpu over
  /// its own: on the same machine type (Carneiro 2018, equation 2) and on the server (equation 3).
  std::optional<Interval<double>> over_cores, over_server;
  /// Gives (baseline cost - cost) / baseline cost of the mean costs (Kunas 2023, section 6.2);
  /// negative = dearer. Absent where one of them is unknown, or the baseline costs nothing.
  std::optional<double> cost_efficiency;
  /// Gives what cores x clock let expect by the baseline.
  std::optional<LinearExpectation> expectation;
};

/// Holds Welch's test of two groups by one figure.
struct RepeatTest {
  RunMetric metric;
  std::size_t a = 0;  // index of a group
  std::size_t b = 0;  // index of a later group
  Comparison comparison;
  /// Gives the p-value by Holm's correction over all pairs of the metric; absent without a test.
  std::optional<double> adjusted_p;
};

/// Holds what repeated runs of several groups say.
struct RepeatSummary {
  std::vector<RepeatRow> rows;    // one for each group, in their order
  std::size_t baseline = 0;       // index of the group that speed-ups are over
  std::vector<RepeatTest> tests;  // every pair by each of tested_metrics(), in their order
};

/// Returns the figures by which every pair of groups is tested: time, the best accuracies on
/// validation and on training samples, those of the last epoch, and the test time.
const std::vector<RunMetric>& tested_metrics();

/// Summarises groups and tests each pair of them by tested_metrics(), as far as both have the
/// figure. `baseline` is the index of a group; `offers` are those that runs without a
/// price of their own are billed under; `server` is the machine type of RepeatRow::over_server.
RepeatSummary summarise_repeats(std::span<const RepeatGroup> groups, std::size_t baseline,
                                std::span<const Offer> offers, const std::string& server = "");

/// Says in sentences what the tests of one metric show: which group is the best, from which others
/// it cannot be told apart, and how much worse the rest is. `names` are those of the groups.
/// Returns nothing where no pair was tested.
std::vector<std::string> words_of_tests(const RepeatSummary& summary, const RunMetric& metric,
                                        std::span<const std::string> names);

}  // namespace lapcast

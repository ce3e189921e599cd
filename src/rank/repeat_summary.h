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

/// Holds the full runs of one machine type with one combination of settings and one work.
struct RepeatGroup {
  std::string machine_type;
  std::string settings;   // "batch=128", without the seed (settings_of_set())
  std::vector<Run> runs;  // ended by themselves; in order of start, with warm-up runs
  std::string reason;     // why there are not more runs; empty = enough
  TrainingWork work = {};
  std::string training = {};  // what distinguishes its work from groups with the same machine type
                              // and settings (differences()); empty = there are none
};

/// Returns the group's name for display: "gpu batch=128", "gpu batch=128 --epochs 6".
std::string name_of(const RepeatGroup& group);

/// Groups the full runs, in the order in which the groups first appear. Leaves out runs of another
/// kind, and those that did not end by themselves.
std::vector<RepeatGroup> repeat_groups(std::span<const Run> runs);

/// Holds the figures of a group. Warm-up runs count only in `warm_ups`.
struct RepeatRow {
  std::size_t warm_ups = 0;
  std::vector<double> times;                // seconds from start to end of the process
  std::vector<double> accuracies;           // the best val_accuracy of each run that has one
  std::vector<double> training_accuracies;  // the best accuracy on the training samples
  std::vector<double> last_accuracies;      // both for the last epoch
  std::vector<double> last_training_accuracies;
  std::vector<double> test_times;  // seconds (RunMetric::Kind::test_time)
  std::vector<double> costs;       // USD of each run's bill
  std::string why_no_cost;         // reason for the first run without a bill
  std::vector<double> joules;      // of each run with measured energy
  /// Gives the mean time of the baseline over that of the group (Fieller 1954), 95 %. If one of
  /// them has a single run, low, mid and high are all the ratio. Absent without times.
  std::optional<Interval<double>> speed_up;
  /// Gives, for a group with device=cuda, the mean time of the same settings with device=cpu over
  /// its own: on the same machine type (Carneiro 2018, equation 2) and on the server (equation 3).
  std::optional<Interval<double>> over_cores, over_server;
  /// Gives (baseline cost - cost) / baseline cost of the mean costs (Kunas 2023, section 6.2);
  /// negative = more expensive. Absent if one is not known, or the baseline is free.
  std::optional<double> cost_efficiency;
  /// Gives the result expected from cores x clock, relative to the baseline.
  std::optional<LinearExpectation> expectation;
};

/// Holds Welch's test of two groups by one metric.
struct RepeatTest {
  RunMetric metric;
  std::size_t a = 0;  // index of a group
  std::size_t b = 0;  // index of a later group
  Comparison comparison;
  /// Gives the p-value with Holm's correction over all pairs of the metric; absent without a test.
  std::optional<double> adjusted_p;
};

/// Summarises the repeated runs of several groups.
struct RepeatSummary {
  std::vector<RepeatRow> rows;    // one for each group, in order
  std::size_t baseline = 0;       // index of the group to which speed-ups are relative
  std::vector<RepeatTest> tests;  // every pair by each of tested_metrics(), in order
};

/// Returns the metrics by which every pair of groups is tested: time, the best accuracies on
/// validation and on training samples, those of the last epoch, and the test time.
const std::vector<RunMetric>& tested_metrics();

/// Summarises groups and tests each pair of them by tested_metrics(), if both have the metric.
/// `baseline` is the index of a group; `offers` bill runs without a price of their own; `server` is
/// the machine type of RepeatRow::over_server.
RepeatSummary summarise_repeats(std::span<const RepeatGroup> groups, std::size_t baseline,
                                std::span<const Offer> offers, const std::string& server = "");

/// Returns sentences about the tests of one metric: which group is the best, from which others it
/// cannot be distinguished, and how much worse the rest is. `names` are those of the groups.
/// Returns nothing if no pair was tested.
std::vector<std::string> words_of_tests(const RepeatSummary& summary, const RunMetric& metric,
                                        std::span<const std::string> names);

}  // namespace lapcast
